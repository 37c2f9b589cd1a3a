"""The workflow: what runs when, on what, and what it may do."""

import re

import pytest
import yaml

from tests.tools import ROOT, files

TEXT = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
WORKFLOW = yaml.safe_load(TEXT)
WHEN = WORKFLOW[True]  # `on`, which YAML 1.1 reads as a truth
JOBS = WORKFLOW["jobs"]
NOW_AND_THEN = {  # a job of each month and on demand: what it runs
    "holes": "pip-audit --strict -r requirements.txt",
    "mutations": "python -m tests.mutations",
    "links": "python -m tests.links",
    "lite": "tests/browser/test_lite.py",
}


def runs(job):
    """Return the commands of a job."""
    return [step["run"] for step in JOBS[job]["steps"] if "run" in step]


def test_there_is_one_workflow_and_it_may_read_only():
    assert len(files(".github/workflows/*")) == 1
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert not any("permissions" in job for job in JOBS.values())
    assert "secrets" not in TEXT and "pull_request_target" not in WHEN


def test_every_action_is_pinned_by_its_commit_and_keeps_no_key():
    used = [step for job in JOBS.values() for step in job["steps"]]
    used = [step for step in used if "uses" in step]
    assert len(used) == len(re.findall(r"uses:", TEXT))
    for step in used:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
        if step["uses"].startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    for comment in re.findall(r"uses:.*", TEXT):
        assert re.search(r"  # v\d+\.\d+\.\d+$", comment), comment


def test_it_runs_on_every_change_each_month_and_on_demand():
    assert {"push", "pull_request", "workflow_dispatch"} <= set(WHEN)
    (each,) = WHEN["schedule"]
    minute, hour, day, month, weekday = each["cron"].split()
    assert 1 <= int(day) <= 28 and (month, weekday) == ("*", "*")
    assert 0 <= int(minute) < 60 and 0 <= int(hour) < 24


@pytest.mark.parametrize("job", NOW_AND_THEN)
def test_what_takes_long_or_needs_the_net_runs_each_month(job):
    said = JOBS[job]["if"].split(" || ")
    assert sorted(said) == [
        "github.event_name == 'schedule'",
        "github.event_name == 'workflow_dispatch'",
    ]
    assert NOW_AND_THEN[job] in runs(job)[-1]


def test_the_rest_runs_on_every_change_and_each_has_an_end():
    assert {job for job in JOBS if "if" in JOBS[job]} == set(NOW_AND_THEN)
    assert all(job["timeout-minutes"] <= 360 for job in JOBS.values())


def test_both_ends_of_the_range_on_each_python():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    current = JOBS["all"]["strategy"]["matrix"]["python"]
    assert current == ["3.11", "3.12", "3.13"]
    assert all(version in readme for version in current)
    assert runs("all") == [".ci/run"]
    oldest = JOBS["oldest"]["strategy"]["matrix"]["python"]
    assert oldest == current[:2]  # NumPy 1.26 has wheels for no later one
    assert runs("oldest") == ["python -m tests.environments oldest"]
