"""Continuous batching of requests on a card, step by step, in SimPy.

Between two steps a scheduler looks at who waits and who runs.  It either prefills a prompt, whole or a chunk of it, or
makes a token of every running sequence.  Where one design does both, prompts ride along: a row of a decode step is the
next token of a sequence, whether that was given or made (Agrawal et al., Sarathi-Serve, arXiv 2403.02310).  Keys and
values lie in pages; where none is left for a running sequence, the one that came last gives its pages back and computes
its tokens anew later, as in vLLM (Kwon et al., arXiv 2309.06180).
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import simpy

from sttest.core.errors import InputError
from sttest.studies.serving.requests import Request

Policy = Literal["first-come", "shortest", "prefill-first"]
"""``first-come``: prompts in order of arrival, a token of all that run between two of them.  ``shortest``: the same,
but the shortest prompt first.  ``prefill-first``: as ``first-come``, but tokens only when no prompt can be taken."""
Phase = Literal["prefill", "decode"]


class StepCost(NamedTuple):
    """What a step of all layers takes."""

    seconds: float
    joules: float = 0.0


class StepTimes(Protocol):
    """Times of the steps of a card."""

    def prefill(self, tokens: int, context: int) -> StepCost:
        """So many tokens of a prompt behind those that are cached."""
        ...

    def decode(self, sequences: int, context: int) -> StepCost:
        """A token of each sequence; ``context`` are cached positions of the longest."""
        ...


@dataclass(frozen=True)
class Limits:
    """What a card and its scheduler allow."""

    batch: int  # sequences that run at a time
    pages: int  # pages of keys and values
    page_tokens: int  # positions of a page
    policy: Policy = "first-come"
    chunk: int | None = None  # tokens of a prompt that are prefilled at a time; None for all of them
    rides: bool = False  # whether prompts go token by token through the steps in which others make theirs
    reconfigure_s: float = 0.0  # seconds between a prefill's and a decode's step, where each has a design of its own

    def pages_of(self, positions: int) -> int:
        """Pages for so many positions."""
        return -(-positions // self.page_tokens)


class CardStep(NamedTuple):
    """What the card did."""

    begin_s: float
    end_s: float
    phase: Phase
    sequences: tuple[int, ...]  # numbers of requests
    tokens: int  # tokens that were taken in
    waiting: int  # requests that wait when it begins
    pages: int  # pages that are taken while it runs
    joules: float
    reconfigure_s: float = 0.0  # seconds before it begins


@dataclass
class Served:
    """A request with what became of it."""

    request: Request
    first_s: float = 0.0  # when its first token was there
    end_s: float = 0.0  # when its last one was
    made: int = 0  # tokens
    cached: int = 0  # positions whose keys and values are there
    pages: int = 0  # pages that it holds
    preempted: int = 0  # times that it lost them

    @property
    def known(self) -> int:
        """Tokens that have to be cached before it makes its next one."""
        return self.request.prompt + self.made

    @property
    def is_done(self) -> bool:
        """Whether it has all tokens."""
        return self.made == self.request.output


@dataclass
class Card:
    """One card that serves requests.

    Args:
        requests: by arrival.
        times: times of its steps.
        limits: what it allows.

    Raises:
        InputError: a request that it could never hold.
    """

    requests: Sequence[Request]
    times: StepTimes
    limits: Limits
    steps: list[CardStep] = field(default_factory=list)

    def __post_init__(self) -> None:
        for request in self.requests:
            needed = self.limits.pages_of(request.positions)
            if needed > self.limits.pages:
                raise InputError(
                    "no-room",
                    f"request {request.number} needs more memory than there is for keys and values",
                    where="serve",
                    demand=needed,
                    bound=self.limits.pages,
                    unit="pages",
                    hints=["give more memory", "leave such requests out"],
                )
        self.served = [Served(request) for request in self.requests]
        self.free_pages = self.limits.pages
        self._waiting: list[Served] = []
        self._prefilling: list[Served] = []
        self._running: list[Served] = []
        self._last: Phase | None = None

    def run(self, tell: Callable[[int], None] = lambda done: None) -> list[Served]:
        """Serves all requests; ``tell`` is called with the number of those that are done.

        Returns:
            The requests in their order, each with its times.
        """
        environment = simpy.Environment()
        self._arrived = environment.event()
        environment.process(self._arrivals(environment))
        environment.run(environment.process(self._serve(environment, tell)))
        return self.served

    def _arrivals(self, environment: simpy.Environment) -> Generator[simpy.Event, Any, None]:
        for each in self.served:
            if each.request.arrival_s > environment.now:
                yield environment.timeout(each.request.arrival_s - environment.now)
            self._waiting.append(each)
            arrived, self._arrived = self._arrived, environment.event()
            arrived.succeed()

    def _serve(self, environment: simpy.Environment, tell: Callable[[int], None]) -> Generator[simpy.Event, Any, None]:
        left = len(self.served)
        while left:
            phase = self._choose()
            if phase is None:
                yield self._arrived
                continue
            pause = self.limits.reconfigure_s if self._last not in (None, phase) else 0.0
            if pause:
                yield environment.timeout(pause)
            step = self._begin(phase, environment.now, pause)
            yield environment.timeout(step.end_s - step.begin_s)
            done = self._end(step, environment.now)
            left -= done
            if done:
                tell(len(self.served) - left)

    def _choose(self) -> Phase | None:
        """The phase of the next step, with memory for what it will cache; None where there is nothing to do."""
        if self.limits.rides:
            while self._admit():
                self._running += self._prefilling
                self._prefilling.clear()
            return "decode" if self._make_room() else None
        takes_turns = self.limits.policy != "prefill-first"
        if takes_turns and self._last == "prefill" and self._make_room():
            return "decode"
        if self._prefilling or self._admit():
            return "prefill"
        return "decode" if self._make_room() else None

    def _admit(self) -> bool:
        """Takes in the first request that waits, if there is a place and memory for its tokens."""
        if not self._waiting or len(self._running) >= self.limits.batch:
            return False
        first = min(self._waiting, key=self._rank)
        pages = self.limits.pages_of(first.known)
        if pages > self.free_pages:
            return False
        self._waiting.remove(first)
        self._take(first, pages)
        self._prefilling.append(first)
        return True

    def _rank(self, waits: Served) -> tuple[float, ...]:
        request = waits.request
        by_arrival = (request.arrival_s, request.number)
        return (waits.known, *by_arrival) if self.limits.policy == "shortest" else by_arrival

    def _take(self, holder: Served, pages: int) -> None:
        holder.pages += pages
        self.free_pages -= pages

    def _release(self, holder: Served) -> None:
        self.free_pages += holder.pages
        holder.pages = 0

    def _begin(self, phase: Phase, now: float, pause: float) -> CardStep:
        self._last = phase
        if phase == "decode":
            who, tokens = self._running, len(self._running)
            cost = self.times.decode(tokens, max(each.cached for each in who))
        else:
            who = self._prefilling
            tokens = min(self.limits.chunk or who[0].known, who[0].known - who[0].cached)
            cost = self.times.prefill(tokens, who[0].cached)
        numbers = tuple(each.request.number for each in who)
        taken = self.limits.pages - self.free_pages
        waiting = len(self._waiting)
        step = CardStep(now, now + cost.seconds, phase, numbers, tokens, waiting, taken, cost.joules, pause)
        self.steps.append(step)
        return step

    def _make_room(self) -> bool:
        """A place for the next position of every running sequence; who came last gives way.

        Returns:
            Whether any runs.
        """
        for each in list(self._running):
            while each in self._running and self.limits.pages_of(each.cached + 1) > each.pages:
                if self.free_pages:
                    self._take(each, 1)
                else:
                    self._preempt(self._running[-1])
        return bool(self._running)

    def _preempt(self, loser: Served) -> None:
        self._running.remove(loser)
        self._release(loser)
        loser.cached = 0
        loser.preempted += 1
        self._waiting.append(loser)

    def _end(self, step: CardStep, now: float) -> int:
        """Takes over what a step made; the number of requests that it ended."""
        if step.phase == "decode":
            for each in self._running:
                each.cached += 1
            makers = [each for each in self._running if each.cached == each.known]
        else:
            (only,) = self._prefilling
            only.cached += step.tokens
            if only.cached < only.known:
                return 0
            self._prefilling.clear()
            self._running.append(only)
            makers = [only]
        done = [each for each in makers if self._token(each, now)]
        for each in done:
            self._running.remove(each)
            self._release(each)
        return len(done)

    def _token(self, maker: Served, now: float) -> bool:
        maker.made += 1
        if maker.made == 1:
            maker.first_s = now
        if maker.is_done:
            maker.end_s = now
        return maker.is_done
