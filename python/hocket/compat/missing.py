"""What a file may import and Hocket lacks."""

from __future__ import annotations

from typing import Any, NoReturn


class MissingFeature(NotImplementedError, AttributeError):
    """A name of Triton's was used that Hocket does not have. `name` is its full name."""

    def __init__(self, text: str, name: str):
        NotImplementedError.__init__(self, text)
        self.name = name


class Missing:
    """Stands for such a name. A kernel that uses it does not compile; calling it or asking it for anything raises."""

    def __init__(self, name: str, hint: str = ""):
        self.__name__ = name
        self.__qualname__ = name
        # The front end takes it for a builtin, and stops at a call of it with this name and hint.
        self.__hocket_builtin__ = name.removeprefix("triton.experimental.gluon.language.").removeprefix("triton.")
        self.__hocket_missing__ = (name, hint)
        self.__doc__ = "of Triton's"
        self._hint = hint

    def _refuse(self) -> NoReturn:
        hint = f"\n  hint: {self._hint}" if self._hint else ""
        raise MissingFeature(f"{self.__name__} is Triton's; Hocket does not have it yet{hint}", self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by Python and its libraries, of anything
            raise AttributeError(name)
        self._refuse()

    def __getitem__(self, key: Any) -> NoReturn:
        self._refuse()

    def __mro_entries__(self, bases: tuple) -> NoReturn:
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self.__name__}, which Hocket does not have>"
