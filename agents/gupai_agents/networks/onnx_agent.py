"""Networks of any library as players: ONNX graphs, run by onnxruntime. Reading one runs no code from it.

A graph has one input, observations [N, layout.size] as the environments show them, unscaled and in any type of number,
and an output of scores [N, num_actions]: the only one of that shape, or the one called "logits". N is dynamic.
"""

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.failure import in_one_line
from gupai_agents.look_ahead import LookAhead, look_ahead_of
from gupai_agents.networks.checkpoint import MAX_BYTES, check_identity
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages import say
from gupai_env.messages.checks import key_context
from gupai_env.storage.files import describe
from gupai_env.storage.models import DamagedError, small_file

SCORES = "logits"
HEADER_KEY = "gupai"  # of a graph's metadata: the header of the checkpoint that it was written from
DTYPES: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int8)": np.int8,
    "tensor(int16)": np.int16,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
}
TRIED = (1, 3)  # rows that a graph is given when it is loaded


class OnnxAgent(ObservationAgent):
    """A player that an ONNX graph scores the actions for.

    `content` is the graph, its weights included, `files` the files that it was read from.
    """

    content: bytes
    files: list[Path]
    input: tuple[str, Any]
    output: str
    variant: Variant
    ahead: LookAhead | None

    def __init__(self, path: str | Path, game: Game, variant: Variant, *, sample: bool = False) -> None:
        """Read a graph and try it.

        Args:
            path: The file.
            game: The game that it is to play.
            variant: The variant, which must be that of its metadata if `gupai export` wrote it.
            sample: Draw from the softmax of the scores instead of taking the best action.

        Raises:
            ValueError: The file or its shapes do not fit, or a package is missing; in one line.
        """
        super().__init__(f"{'sample' if sample else 'onnx'}:{path}", game, self.logits, sample=sample)
        try:
            import onnxruntime  # noqa: F401

            self.content, self.files = read_graph(Path(path))
        except ImportError as error:
            raise ValueError(f"{self.name} needs one more package ({error.name}): pip install 'gupai[onnx]'") from None
        try:
            graph = self.session
        except Exception as error:  # onnxruntime has no common class of errors
            raise ValueError(f"{path}: onnxruntime cannot run it ({in_one_line(error)})") from None
        header = graph.get_modelmeta().custom_metadata_map.get(HEADER_KEY)
        if header is not None:
            self._bind(path, header, variant)
        with key_context(path):
            self.input = self._input()
            self.output = self._output()

    def __getstate__(self) -> dict[str, Any]:
        """Return all except the session, which cannot go to another process."""
        return {name: value for name, value in vars(self).items() if name != "session"}

    @functools.cached_property
    def session(self) -> Any:
        """The graph in onnxruntime, on one thread: workers share the cores."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        return onnxruntime.InferenceSession(self.content, options, providers=["CPUExecutionProvider"])

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Return the score of every action, float32 [N, num_actions], for observations int8 [N, layout.size]."""
        name, dtype = self.input
        (scores,) = self.session.run([self.output], {name: observations.astype(dtype)})
        return np.asarray(scores, np.float32)

    def _bind(self, path: str | Path, text: str, variant: Variant) -> None:
        """Take over what a header of ours says. Raises: ValueError unless it is of this game and variant."""
        try:
            header = json.loads(text)
        except (ValueError, RecursionError):
            header = None
        if not isinstance(header, dict):
            raise ValueError(f"{path}: damaged, its metadata {HEADER_KEY!r} are not a header of gupai")
        player = check_identity(path, header, self.game, variant)
        self.variant, self.ahead = variant, look_ahead_of(header, self.game, variant)
        self.sample = self.sample or player.mixes

    def _input(self) -> tuple[str, Any]:
        """Return name and type of the input; raises ValueError unless it is one for observations."""
        size, inputs = self.game.encoder.layout.size, self.session.get_inputs()
        wanted = f"{self.game.id} has one input, observations [N, {size}]"
        if len(inputs) != 1:
            raise ValueError(f"it has {len(inputs)} inputs ({_listed(inputs)}); {wanted}")
        (node,) = inputs
        if len(node.shape) != 2 or (isinstance(node.shape[1], int) and node.shape[1] != size):
            raise ValueError(f"its input is {_listed(inputs)}; {wanted}")
        if isinstance(node.shape[0], int):
            raise ValueError(f"its input is {_listed(inputs)}; export it with a dynamic first axis")
        if node.type not in DTYPES:
            raise ValueError(f"its input is of type {node.type}; it must be of {', '.join(DTYPES)}")
        return node.name, DTYPES[node.type]

    def _output(self) -> str:
        """Return the name of the output that holds scores; raises ValueError unless there is just one."""
        (name, dtype), names = self.input, [output.name for output in self.session.get_outputs()]
        for rows in TRIED:
            feed = {name: np.ones((rows, self.game.encoder.layout.size), dtype)}
            try:
                first, second = (self.session.run(names, feed) for _ in range(2))
            except Exception as error:
                raise ValueError(f"it fails for {rows} observations ({in_one_line(error)})") from None
            shapes = {name: list(np.shape(value)) for name, value in zip(names, first, strict=True)}
            candidates = [name for name in names if shapes[name] == [rows, self.game.num_actions]]
            if not candidates:
                listing = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
                wanted = f"{self.game.id} has scores {[rows, self.game.num_actions]}"
                raise ValueError(f"its outputs for {rows} observations are {listing}; {wanted}")
            if len(candidates) > 1 and SCORES not in candidates:
                raise ValueError(f"its outputs {', '.join(candidates)} may all be scores of actions; call one {SCORES}")
            chosen = SCORES if SCORES in candidates else candidates[0]
            index = names.index(chosen)
            if not np.array_equal(first[index], second[index], equal_nan=first[index].dtype.kind == "f"):
                raise ValueError(
                    f"its output {chosen} differs for equal observations; export scores, and draw by sample:"
                )
        return chosen


def _listed(values: Any) -> str:
    """Return inputs of a graph with their shapes."""
    sizes = ([str(size) if isinstance(size, int) else "N" for size in tensor.shape] for tensor in values)
    return ", ".join(f"{tensor.name} [{', '.join(shape)}]" for tensor, shape in zip(values, sizes, strict=True))


def read_graph(path: Path) -> tuple[bytes, list[Path]]:
    """Return a graph in one piece, and its files: torch may write the weights next to it.

    Raises:
        ValueError: It cannot be read, or names a file in another folder.
        ImportError: The package `onnx` is missing.
    """
    import onnx
    from onnx.external_data_helper import ExternalDataInfo, load_external_data_for_model, uses_external_data

    try:
        content = small_file(path, MAX_BYTES).read_bytes()
        model = onnx.load_model_from_string(content)
        apart = sorted({ExternalDataInfo(tensor).location for tensor in _tensors(model) if uses_external_data(tensor)})
        if not apart:
            return content, [path]
        for name in apart:
            if Path(name).name != name:
                raise ValueError(f"it reads its weights from {name!r}, which is not in its folder")
            small_file(path.with_name(name), MAX_BYTES)
        load_external_data_for_model(model, str(path.parent))
        return model.SerializeToString(), [path, *map(path.with_name, apart)]
    except ImportError:
        raise
    except OSError as error:
        raise ValueError(describe(error if error.filename else OSError(error.errno, str(error), str(path)))) from None
    except DamagedError as error:
        folder = str(path).removesuffix(path.name)
        raise ValueError(say("{folder}{problem}", folder=folder, problem=str(error))) from None
    except Exception as error:  # of protobuf, whose classes differ between its versions, and of onnx
        raise ValueError(f"{path}: not an ONNX graph, or a damaged one ({in_one_line(error)})") from None


def _tensors(message: Any) -> Iterator[Any]:
    """Yield all tensors in a graph, wherever they are."""
    from onnx import TensorProto

    if isinstance(message, TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in value if hasattr(value, "add") else [value]:
                yield from _tensors(part)
