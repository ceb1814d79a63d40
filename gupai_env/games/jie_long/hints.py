"""What people read about Jie Long and its moves."""

from gupai_env.games.connecting.hints import ConnectingHints
from gupai_env.games.jie_long.rules import SAFE
from gupai_env.words.messages import joined, say

PAYMENTS = {"kkoribuchigi": say("a chip"), "kkoribuchigi_difference": say("the difference")}


class JieLongHints(ConnectingHints):
    """Jie Long: who pays whom depends on the options."""

    def payment(self) -> str:
        """Return what the points bring, as the end of a sentence."""
        paid = super().payment()
        if self.variant.settlement in PAYMENTS:
            paid = say(
                "whoever has the fewest wins {payment} from whoever has the most and, with fewer than {safe}, from "
                "everybody over {safe}",
                payment=PAYMENTS[self.variant.settlement],
                safe=SAFE,
            )
        doubled = "if somebody plays all tiles, the points of the others count double"
        return joined("; ", [paid, doubled if self.variant.all_laid_doubles else ""])
