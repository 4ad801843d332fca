"""Placeholders for names of Triton that Hocket lacks."""

from __future__ import annotations

from typing import Any, NoReturn


class MissingFeature(NotImplementedError, AttributeError):
    """Raised on the use of a name of Triton that Hocket lacks.

    The attribute `name` is the full name of the missing object, including the module of Triton.
    """

    def __init__(self, text: str, name: str):
        NotImplementedError.__init__(self, text)
        self.name = name


class Missing:
    """Placeholder for a name that Hocket lacks.

    A kernel that uses the placeholder does not compile. A call of the placeholder raises MissingFeature, as does
    reading an attribute or an item.
    """

    def __init__(self, name: str, hint: str = ""):
        self.__name__ = name
        self.__qualname__ = name
        # The front end treats the placeholder as a builtin. The error for a call contains `name` and `hint`.
        self.__hocket_builtin__ = name.removeprefix("triton.experimental.gluon.language.").removeprefix("triton.")
        self.__hocket_missing__ = (name, hint)
        self.__doc__ = "of Triton's"
        self._hint = hint

    def _refuse(self) -> NoReturn:
        hint = f"\n  hint: {self._hint}" if self._hint else ""
        raise MissingFeature(
            f"{self.__name__} is part of Triton, but Hocket does not support it yet{hint}", self.__name__
        )

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python and its libraries read these attributes of any object
            raise AttributeError(name)
        self._refuse()

    def __getitem__(self, key: Any) -> NoReturn:
        self._refuse()

    def __mro_entries__(self, bases: tuple) -> NoReturn:
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self.__name__}, which Hocket does not have>"
