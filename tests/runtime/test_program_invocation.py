"""Real programs, well-behaved and not, run as a package's would be (handbook §8, safety 35–37)."""

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from connectors.errors import ConnectorError, OutcomeUnknown
from connectors.runtime.deadline import Deadline
from connectors.runtime.operations import LAUNCH_URL, OPERATIONS, TOOL_INVOKE
from connectors.runtime.program import ProgramSource, invoke_program
from connectors.runtime.program_errors import (
    BudgetExceeded,
    CapabilityMissing,
    ProgramFault,
    ProgramRefused,
    ProgramTimedOut,
    ProgramUnavailable,
)
from connectors.runtime.slots import SLOT_COUNT, SLOTS
from tests.builders.misbehaviours import AGAINST_THE_PROTOCOL, GOOD, misbehaving
from tests.builders.programs import READ, RESULTS, answering, make_context, make_program, make_well_behaved

MIB = 1024 * 1024


async def invoke(program: ProgramSource, name: str = "tool_invoke", *, seconds: float = 30, **options: Any) -> Any:
    return await invoke_program(
        program, OPERATIONS[name], make_context(name), deadline=Deadline.after(seconds), **options
    )


@pytest.mark.parametrize("name", OPERATIONS)
async def test_every_operation_of_a_well_behaved_program_answers(tmp_path: Path, name: str):
    answer = await invoke(make_well_behaved(tmp_path), name)
    assert answer == OPERATIONS[name].result.validate_python(RESULTS[name])


# Each with another operation, in turn; `make proofs` tries every one with every operation.
PAIRS = list(zip(AGAINST_THE_PROTOCOL, cycle(OPERATIONS), strict=False))


@pytest.mark.parametrize(("behaviour", "name"), PAIRS)
async def test_an_answer_against_the_protocol_is_a_fault(tmp_path: Path, behaviour: str, name: str):
    program = make_program(tmp_path, misbehaving(name, AGAINST_THE_PROTOCOL[behaviour]))
    with pytest.raises(ProgramFault) as raised:
        await invoke(program, name)
    assert raised.value.code == "program_protocol"


async def test_a_flood_on_stdout_is_stopped_at_the_limit(tmp_path: Path):
    program = make_program(tmp_path, f"{READ}while True: sys.stdout.write('x' * 65536)")
    with pytest.raises(ProgramFault) as raised:
        await invoke(program)
    assert raised.value.code == "response_too_large"


@pytest.mark.parametrize(("spare", "accepted"), [(-1, True), (0, True), (1, False)])
async def test_an_answer_may_be_5_mib_and_not_a_byte_more(tmp_path: Path, spare: int, accepted: bool):
    source = f"""
    {READ.replace(chr(10), "; ").rstrip("; ")}
    start, end = '{{"protocol_version":1,"ok":true,"result":{{"content":[{{"type":"text","text":"', '"}}]}}}}'
    sys.stdout.write(start + "x" * ({5 * MIB + spare} - len(start) - len(end)) + end)
    """
    program = make_program(tmp_path, source)
    if accepted:
        assert (await invoke(program)).content
    else:
        with pytest.raises(ProgramFault) as raised:
            await invoke(program)
        assert raised.value.code == "response_too_large"


async def test_a_flood_on_stderr_neither_blocks_the_answer_nor_counts_against_it(tmp_path: Path):
    program = make_program(tmp_path, f"import sys\nsys.stderr.write('x' * {20 * MIB})\n{answering({'url': None})}")
    assert (await invoke(program, "launch_url")).url is None


async def test_a_program_that_never_reads_a_large_request_is_not_waited_for_by_the_writer(tmp_path: Path):
    program = make_program(tmp_path, f"print('{GOOD % '{}'}')")
    context = make_context("authorization_identity", options={"pad": "x" * (2 * MIB - 4096)})
    with pytest.raises(ProgramUnavailable) as raised:
        await invoke_program(program, OPERATIONS["authorization_identity"], context, deadline=Deadline.after(30))
    assert raised.value.parameters["reason"] == "ended_before_reading"


async def test_a_program_that_answers_while_a_large_request_is_written_does_not_deadlock(tmp_path: Path):
    source = f"""
    import sys
    sys.stdout.write('{{"protocol_version":1,"ok":true,"result":{{"identity":"' + "x" * {4 * MIB}); sys.stdout.flush()
    sys.stdin.read()
    print('"}}}}')
    """
    context = make_context("authorization_identity", options={"pad": "x" * (2 * MIB - 4096)})
    answer = await invoke_program(
        make_program(tmp_path, source), OPERATIONS["authorization_identity"], context, deadline=Deadline.after(30)
    )
    assert len(answer.identity) == 4 * MIB


async def test_a_program_that_sleeps_past_its_limit_times_out(tmp_path: Path):
    with pytest.raises(ProgramTimedOut):
        await invoke(make_program(tmp_path, f"{READ}time.sleep(60)"), seconds=0.7)


UNSURE = {
    "times out": "time.sleep(60)",
    "is killed": "os.kill(os.getpid(), 9)",
    "answers nonsense": "print('done')",
    "answers nothing": "",
    "floods": "while True: sys.stdout.write('x' * 65536)",
    "exits 1 after a good answer": f"print('{GOOD % '{}'}'); sys.stdout.flush(); sys.exit(1)",
}


@pytest.mark.parametrize("source", UNSURE.values(), ids=list(UNSURE))
async def test_a_tool_that_may_change_something_and_ends_without_an_answer_has_an_unknown_outcome(
    tmp_path: Path, source: str
):
    with pytest.raises(OutcomeUnknown) as raised:
        await invoke(make_program(tmp_path, READ + source), may_change=True, seconds=1.5)
    assert raised.value.code == "connector_action_outcome_unknown"


UNREAD = {
    "does not compile": "this is not Python",
    "breaks while importing": "import a_module_that_does_not_exist",
    "exits at once": "raise SystemExit(0)",
    "sleeps without reading": "import time; time.sleep(60)",
}


@pytest.mark.parametrize("source", UNREAD.values(), ids=list(UNREAD))
async def test_a_tool_that_never_read_its_request_has_failed_plainly(tmp_path: Path, source: str):
    with pytest.raises(ProgramUnavailable):
        await invoke(make_program(tmp_path, source), may_change=True, seconds=1.5)


async def test_a_tool_that_says_it_failed_has_failed_whatever_its_exit_code(tmp_path: Path):
    error = '{"protocol_version": 1, "ok": false, "error": {"code": "rate_limited", "message": "l", "retryable": true}}'
    program = make_program(tmp_path, f"{READ}print('{error}'); sys.stdout.flush(); sys.exit(3)")
    with pytest.raises(ProgramRefused) as raised:
        await invoke(program, may_change=True)
    assert raised.value.code == "rate_limited"


@pytest.mark.parametrize("name", ["credential_refresh", "credential_revoke", "launch_url"])
async def test_an_operation_whose_capability_is_not_declared_is_never_run(tmp_path: Path, name: str):
    program = make_program(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')")
    bare = ProgramSource(program.folder, program.entrypoint, program.package)
    with pytest.raises(CapabilityMissing):
        await invoke(bare, name)
    assert not (tmp_path / "ran").exists()


async def test_a_program_that_is_not_there_is_unavailable(tmp_path: Path):
    program = make_program(tmp_path, "")
    gone = ProgramSource(tmp_path / "gone", program.entrypoint, program.package)
    with pytest.raises(ProgramUnavailable):
        await invoke(gone)


async def test_waiting_for_a_slot_counts_against_the_budget(tmp_path: Path):
    holds = [SLOTS.hold(Deadline.after(5)) for _ in range(SLOT_COUNT)]
    for hold in holds:
        await hold.__aenter__()
    try:
        with pytest.raises(BudgetExceeded):
            await invoke(make_well_behaved(tmp_path), seconds=0.1, may_change=True)
    finally:
        for hold in holds:
            await hold.__aexit__(None, None, None)


async def test_no_error_repeats_what_the_program_was_given(tmp_path: Path):
    program = make_program(tmp_path, f"{READ}print(request)")
    with pytest.raises(ConnectorError) as raised:
        await invoke_program(program, TOOL_INVOKE, make_context("tool_invoke"), deadline=Deadline.after(30))  # type: ignore[arg-type]  # a builder returns any context
    assert "s3cr3t" not in f"{raised.value!r}{raised.value.__cause__!r}"


async def test_a_launch_address_may_be_none(tmp_path: Path):
    program = make_program(tmp_path, answering({"url": None}))
    context = make_context("launch_url")
    assert (await invoke_program(program, LAUNCH_URL, context, deadline=Deadline.after(30))).url is None  # type: ignore[arg-type]  # a builder returns any context
