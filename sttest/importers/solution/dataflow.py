"""When the calls of a dataflow region begin and end, in stages of the region: starts spread along its channels.

The stages that the database gives for a region's instructions are those of no state machine, and are replaced.
"""

from collections.abc import Collection

from sttest.importers.solution.matching import MatchedFunction
from sttest.importers.solution.schedule import ChannelOfRegion, ScheduledRegion


def set_stages(function: MatchedFunction) -> None:
    """Works out the stages of a function's blocks, those of its dataflow regions from their channels."""
    for region in function.schedule.regions.values():
        if region.is_dataflow and region.processes:
            _set_region_stages(function, region)
    for block in set(function.blocks):
        block.set_stages()


def is_stream(function: MatchedFunction, channel: ChannelOfRegion) -> bool:
    """Whether it is a FIFO of the design, and not an array or a scalar that the tool made one for."""
    return channel.id not in function.schedule.instructions or channel.id in function.channels


def _set_region_stages(function: MatchedFunction, region: ScheduledRegion) -> None:
    starts: dict[int, int] = {}
    for call in region.processes:
        _start(function, region, call, starts, ())
    last = max(starts.values())
    for block in function.schedule.blocks.values():
        for each in block.instructions if block.region is region else ():
            if each.id not in starts:
                each.start = each.length = 0
    for call, start in starts.items():
        out = [channel for channel in region.channels if call in channel.sources]
        each = function.schedule.instructions[call]
        is_short = bool(out) and not any(is_stream(function, channel) for channel in out)
        each.start, each.length = start, 0 if is_short else last - start


def _start(
    function: MatchedFunction, region: ScheduledRegion, call: int, starts: dict[int, int], behind: Collection[int]
) -> int:
    """One stage after the earliest source of a stream, or the latest of a scalar or an array."""
    if call in starts:
        return starts[call]
    entering = [each for each in region.channels if call in each.sinks and each.sources and call not in each.sources]
    if call in behind or not entering:
        start = 0
    else:
        blocking = [each for each in entering if not is_stream(function, each)]
        sources = [source for each in blocking or entering for source in each.sources]
        found = [_start(function, region, source, starts, (*behind, call)) for source in sources]
        start = (max(found) if blocking else min(found)) + 1
    starts[call] = start
    return start
