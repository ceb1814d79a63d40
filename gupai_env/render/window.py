"""A window on the screen that shows pictures of a table."""

import os
from typing import Any

import numpy as np


class Window:
    """Shows one picture after another; the person at the screen may close it at any time.

    A process has one window at a time, which is all that pygame's display offers.

    Args:
        title: Text of the title bar.
        pictures_per_second: The most pictures `show` shows in a second; 0 does not wait.

    Raises:
        ImportError: If pygame is not installed.
    """

    def __init__(self, title: str = "gupai", pictures_per_second: float = 0.0) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            import pygame
        except ImportError as error:
            raise ImportError("A window needs pygame: pip install gupai[render]") from error
        self._pygame: Any = pygame
        self._title = title
        self._rate = pictures_per_second
        self._clock = pygame.time.Clock()
        self._screen: Any = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """True once the window has been closed, by `close` or by the person at the screen."""
        return self._closed

    def show(self, image: np.ndarray) -> bool:
        """Show `image`, uint8 [H, W, 3], and return True; once the window is closed only return False.

        The window opens with the first image and takes the size of the latest one.

        Raises:
            ValueError: If `image` has another shape or dtype.
        """
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise ValueError(f"image must be uint8 [H, W, 3], got {image.dtype} {list(image.shape)}")
        if self._closed:
            return False
        pygame, size = self._pygame, (image.shape[1], image.shape[0])
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
        # Events are read at every picture: else the system takes the window for one that hangs.
        elif any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            return False
        if self._screen is None or self._screen.get_size() != size:
            self._screen = pygame.display.set_mode(size)
        pygame.surfarray.blit_array(self._screen, image.swapaxes(0, 1))
        pygame.display.flip()
        self._clock.tick(self._rate)
        return True

    def close(self) -> None:
        """Close the window; closing it again does nothing."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None
        self._closed = True
