"""Pages that lie beside what they describe -> pages of the site, with their links; mkdocs calls
this.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]  # mkdocs loads this file by its path

import api
import commands
import messages

MERMAID = "mermaid@11.12.0"  # draws the diagrams; the theme would fetch it at reading time
PAGES = {
    "index.md": "README.md",
    "find.md": "generator/FIND.md",
    "recipes.md": "generator/RECIPES.md",
    "deployment.md": "DEPLOYMENT.md",
    "spec.md": "generator/README.md",
    "runtime.md": "runtime/README.md",
    "package.md": "templates/README.md",
    "reference_ops/index.md": "reference_ops/README.md",
    **{
        f"reference_ops/{page.parent.name}.md": page.relative_to(ROOT).as_posix()
        for page in sorted(ROOT.glob("reference_ops/*/README.md"))
    },
    "contributing.md": ".github/CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
"""Each page of the site that lies outside docs/, and its place in the repository."""
_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_ELSEWHERE = re.compile(
    r"<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)=\"?(https?://[^\s\">]*)"
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside docs/, their pictures, and mermaid."""
    for uri, source in PAGES.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / source)))
        for picture in _pictures((ROOT / source).read_text(encoding="utf-8")):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(source), picture))
            if place not in files.src_uris:
                files.append(File.generated(config, place, abs_src_path=str(ROOT / place)))
    for module in (api, commands, messages):
        files.append(File.generated(config, f"{module.__name__}.md", content=module.page()))
    files.append(File.generated(config, "assets/mermaid.min.js", abs_src_path=str(_mermaid())))
    files.append(File.generated(config, "assets/site.css", abs_src_path=str(HERE / "site.css")))
    config.extra_css.append("assets/site.css")
    config.extra_javascript.append("assets/mermaid.min.js")
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite links between files of the repository as links between pages of the site."""
    uri = page.file.src_uri
    folder = posixpath.dirname(PAGES.get(uri, f"docs/{uri}"))

    def link(match: re.Match[str]) -> str:
        mark, text, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or "://" in target:
            return match[0]
        place = posixpath.normpath(posixpath.join(folder, path))
        page = _uri(place, files)
        if page is not None:
            relative = posixpath.relpath(page, posixpath.dirname(uri) or ".")
            return f"{mark}[{text}]({relative}{'#' * bool(anchor)}{anchor})"
        if not (ROOT / place).exists():
            return match[0]  # which mkdocs refuses
        repository = config.extra["repository"]
        return f"[{text}]({repository}/blob/main/{place})" if repository else text

    parts = _FENCE.split(markdown)
    parts[::2] = [_LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Leave the messages out of the table of contents; they are headings for the search only."""
    if page.file.src_uri == "messages.md":
        for title in page.toc:
            for group in title.children:
                group.children = []


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Mark which pages are in Chinese; load mermaid, 3 MB, only in pages with a diagram."""
    if page.file.src_uri.startswith("zh/"):
        output = output.replace('<html lang="en"', '<html lang="zh-Hans"', 1)
    if 'class="mermaid"' in output:
        return output
    return re.sub(r'<script src="[^"]*mermaid\.min\.js"></script>', "", output)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that fetches from elsewhere when it is read."""
    for page in Path(config.site_dir).rglob("*.html"):
        for address in _ELSEWHERE.findall(page.read_text(encoding="utf-8")):
            if not config.site_url or not address.startswith(config.site_url):
                raise PluginError(f"{page.name} fetches {address}: the site has to bring it along")


def _uri(place: str, files: Files) -> str | None:
    """Return the page or picture of the site for this path in the repository."""
    for uri, source in PAGES.items():
        if place in (source, posixpath.dirname(source)) and place:
            return uri
    inner = place.removeprefix("docs/")
    return inner if inner in files.src_uris else None


def _pictures(markdown: str) -> Iterator[str]:
    for mark, _, target in _LINK.findall(markdown):
        if mark and "://" not in target:
            yield target


def _mermaid() -> Path:
    """Return the file of mermaid's package, which npm fetches once."""
    folder = ROOT / "build" / "mermaid"
    script = folder / "mermaid.min.js"
    if not script.exists():
        if shutil.which("npm") is None:
            raise PluginError("npm is not installed: the site's diagrams are drawn by its mermaid")
        folder.mkdir(parents=True, exist_ok=True)
        fetch = ["npm", "pack", "--silent", MERMAID]
        name = subprocess.run(fetch, cwd=folder, check=True, capture_output=True, text=True).stdout
        with tarfile.open(folder / name.strip()) as archive:
            member = archive.extractfile("package/dist/mermaid.min.js")
            assert member is not None
            script.write_bytes(member.read())
        (folder / name.strip()).unlink()
    return script
