"""One run as it is handed to the process that trains it: plain data, no pickled objects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bestiary.runs.config import RunConfig, SinkConfig, read_run


@dataclass(frozen=True)
class Job:
    """A run, the folder it writes and the sinks its metrics go to as well."""

    run: RunConfig
    folder: Path
    sinks: tuple[SinkConfig, ...] = ()

    def to_json(self) -> str:
        """The job as text."""
        return json.dumps(
            {
                "run": self.run.model_dump(mode="python"),
                "folder": str(self.folder),
                "sinks": [sink.model_dump() for sink in self.sinks],
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Job:
        """The job that ``to_json`` wrote."""
        data = json.loads(text)
        return cls(
            read_run(data["run"], "job"),
            Path(data["folder"]),
            tuple(SinkConfig.model_validate(sink) for sink in data["sinks"]),
        )
