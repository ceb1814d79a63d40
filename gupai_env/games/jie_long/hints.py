"""What people read about Jie Long and its moves."""

from gupai_env.games.connecting.hints import ConnectingHints
from gupai_env.games.jie_long.rules import SAFE

PAYMENTS = {"kkoribuchigi": "a chip", "kkoribuchigi_difference": "the difference"}


class JieLongHints(ConnectingHints):
    """Jie Long: who pays whom depends on the options."""

    def payment(self) -> str:
        """Return what the points bring, as the end of a sentence."""
        paid = super().payment()
        if self.variant.settlement in PAYMENTS:
            paid = (
                f"who has the fewest wins {PAYMENTS[self.variant.settlement]} from who has the most and, with fewer "
                f"than {SAFE}, from everybody over {SAFE}"
            )
        if self.variant.all_laid_doubles:
            paid += "; if somebody plays all tiles, the points of the others count double"
        return paid
