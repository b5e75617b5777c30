"""The page on which people choose what a test set is made of, and its form; the page of a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from testgen.errors import LanguageError, MissingAnswerError, QueryError, TestgenError
from testgen.labels.policy import FEWEST_WORDS, LabelPolicy
from testgen.languages.codes import NEUTRAL, languages
from testgen.queries import Query, class_query
from testgen.serve import responses, schema
from testgen.serve.api import ChosenDep, JobDep, JobsDep, Languages, ProviderDep, client_of_request
from testgen.serve.jobs import FINISHED
from testgen.serve.pages.browse import by_topic
from testgen.serve.pages.rendering import render
from testgen.serve.paths import url_of
from testgen.serve.provider import TestSetProvider
from testgen.serve.resolver import Meaning, without_commands
from testgen.serve.selection import Selection
from testgen.system import listed

router = APIRouter()

MOST_SIZES = 5  # for how many languages test sets are made to show their sizes
_MOST_CLASSES = 200  # suggestions
_MOST_NAMES = 4  # of languages or categories of a job
_FOLDED_FROM = 60  # check boxes; more of them are folded by topic


def _form(
    chosen: ChosenDep,
    language: Languages = [],  # noqa: B006 - FastAPI copies it
    all_languages: bool = False,
) -> Selection:
    return chosen if all_languages else replace(chosen, languages=tuple(language))


FormDep = Annotated[Selection, Depends(_form)]
"""The form as it was filled in: a text in it may hold several codes, names or ids."""


def _understand(provider: TestSetProvider, form: Selection) -> tuple[Selection, list[Meaning], list[str]]:
    """What a form selects, checked; texts that are no usual names of what they mean; what is not known."""
    resolver = provider.resolver
    languages, problems = resolver.languages(*(form.languages or ()))
    names = [
        Meaning(name, name, name) if name in provider.offered else resolver.category(name)
        for name in form.categories
    ]
    classes = [meaning for text in form.classes for meaning in resolver.classes(text)]
    selection = replace(
        form,
        languages=None if form.languages is None else tuple(each.key for each in languages),
        categories=tuple(each.key for each in names),
        classes=tuple(each.key for each in classes),
    )
    said = [each for each in (*languages, *names, *classes) if not each.is_obvious]
    return provider.checked(selection), said, list(problems.values())


def understood(provider: ProviderDep, form: FormDep) -> Selection:
    """What a form selects, if all of it is understood, and not from similar names: nobody would see these."""
    selection, meanings, problems = _understand(provider, form)
    problems += [
        f"{each.text!r} is not known; did you mean {each.name}?" for each in meanings if each.similar
    ]
    if problems:
        raise QueryError("; ".join(problems))
    return selection


SelectionDep = Annotated[Selection, Depends(understood)]


@dataclass(frozen=True)
class Preview:
    """What the form would make."""

    # What is selected, without what is left out; None if the form cannot be understood, or names no language.
    selection: Selection | None = None
    sizes: Sequence[schema.Summary] = ()  # the sizes of the test sets of the first few languages
    problem: str = ""  # why there is no test set; empty if there is one
    fetchable: bool = False  # whether a job can fetch what is missing
    unanswered: Sequence[Query] = ()  # the queries of classes without instances
    meanings: Sequence[Meaning] = ()  # what texts were understood as
    left_out: Sequence[str] = ()  # why some of several languages are left out
    command: str = ""  # the command line that makes the same


def preview(provider: TestSetProvider, form: Selection) -> Preview:
    """What the form would make; errors are only shown, since people are still choosing."""
    try:
        selection, meanings, problems = _understand(provider, form)
    except TestgenError as error:
        return Preview(problem=without_commands(error))
    shown = replace(_preview(provider, selection, problems), meanings=meanings)
    return replace(shown, command=provider.command(shown.selection)) if shown.selection else shown


def _preview(provider: TestSetProvider, selection: Selection, problems: list[str]) -> Preview:
    try:
        if unanswered := _unanswered(provider, selection):
            ids = " and ".join(query.name for query in unanswered)
            problem = f"There are no instances of {ids} in {provider.in_memory.provenance.name}."
            return Preview(selection, problem=problem, unanswered=unanswered)
        if selection.languages is None:
            _check_queries(provider, selection)
            return Preview(selection)
        sizes, lacking = _sizes(provider, selection)
        left_out = [*problems, *lacking.values()]
        if not sizes:
            return Preview(selection if lacking else None, problem=". ".join(left_out))
        codes = tuple(code for code in selection.languages if code not in lacking)
        return Preview(replace(selection, languages=codes), sizes, left_out=left_out)
    except MissingAnswerError as error:
        return Preview(selection, problem=str(error), fetchable=True)
    except TestgenError as error:
        return Preview(selection, problem=without_commands(error))


def _unanswered(provider: TestSetProvider, selection: Selection) -> list[Query]:
    if provider.settings.is_remote:
        return []
    return [class_query(each) for each in selection.classes if each not in provider.in_memory.classes]


def _sizes(provider: TestSetProvider, selection: Selection) -> tuple[list[schema.Summary], dict[str, str]]:
    sizes: list[schema.Summary] = []
    lacking: dict[str, str] = {}
    for code in selection.languages or ():
        if not provider.settings.is_remote and code not in provider.in_memory.counts:
            lacking[code] = provider.resolver.lacking(code)
        elif len(sizes) < MOST_SIZES:
            try:
                sizes.append(responses.summary(provider, replace(selection, languages=(code,))))
            except LanguageError:
                lacking[code] = (
                    f"{languages()[code].name} ({code}): there are too few words. Choose other categories, "
                    "lower the fewest words, or keep names of several words"
                )
    return sizes, lacking


def _check_queries(provider: TestSetProvider, selection: Selection) -> None:
    missing = provider.in_memory.missing
    for name in selection.categories or provider.offered:
        query = provider.offered[name]
        if query in missing and (selection.categories or not provider.in_memory.queries):
            raise missing[query]


@router.get("/build")
def build(request: Request, provider: ProviderDep, form: FormDep) -> Response:
    """The form, and what it would make."""
    known, unknown = provider.resolver.languages(*(form.languages or ()))
    offered = [category for category in responses.all_categories(provider) if category.items != 0]
    classes = {} if provider.settings.is_remote else provider.in_memory.classes
    named = [
        (class_id, name, size) for class_id, (name, size) in classes.items() if name and size >= FEWEST_WORDS
    ]
    return render(
        request,
        "build",
        form=form,
        chosen=known,
        unknown=", ".join(unknown),
        offered=_offered_languages(provider),
        topics=by_topic(offered),
        without=len(provider.offered) - len(offered),
        classes=named[:_MOST_CLASSES],
        folded=len(offered) > _FOLDED_FROM,
        usual=LabelPolicy().as_dict(),
        least=provider.fewest_words,
        least_of_named=FEWEST_WORDS,
        preview=preview(provider, form),
        most_sizes=MOST_SIZES,
    )


@router.get("/build/preview")
def show_preview(request: Request, provider: ProviderDep, form: FormDep) -> Response:
    """The preview alone, with which the page replaces the old one."""
    return render(request, "preview", preview=preview(provider, form), most_sizes=MOST_SIZES)


@router.get("/build/download")
def download(request: Request, provider: ProviderDep, form: FormDep) -> Response:
    """Redirect to the file; or back to the form, which says why there is none."""
    shown = preview(provider, form)
    url = f"/build?{request.url.query}"
    if shown.selection and not shown.problem:
        url = shown.selection.download_path
    return RedirectResponse(url_of(request, url), HTTPStatus.SEE_OTHER)


def _offered_languages(provider: TestSetProvider) -> list[tuple[str, str]]:
    codes = list(provider.in_memory.counts)
    if provider.settings.is_remote:
        codes = [code for code, each in languages().items() if not each.replaced_by and code != NEUTRAL]
    return sorted(((code, languages()[code].name) for code in codes), key=lambda named: named[1])


@router.post("/jobs")
def start_job(request: Request, jobs: JobsDep, selection: SelectionDep) -> Response:
    """Start a job for what the form selects, and redirect to its page."""
    if selection.languages == ():
        raise QueryError("no language is selected; go back and choose one")
    job = jobs.add(selection, client_of_request(request))
    return RedirectResponse(url_of(request, f"/jobs/{job.id}"), HTTPStatus.SEE_OTHER)


@router.get("/jobs/{job_id}")
def show_job(request: Request, provider: ProviderDep, jobs: JobsDep, job: JobDep) -> Response:
    """The progress of a job, or its result."""
    codes, offered = job.selection.languages, provider.offered
    names = [languages()[code].name for code in codes or ()]
    titles = [offered[name].title for name in job.selection.categories if name in offered]
    titles += [f"instances of {class_id}" for class_id in job.selection.classes]
    return render(
        request,
        "job",
        job=responses.job(jobs, job),
        what="all languages" if codes is None else listed(names, _MOST_NAMES),
        categories=listed(titles, _MOST_NAMES),
        finished=job.state in FINISHED,
        file_name=replace(
            job.selection, languages=codes or tuple(Path(name).stem for name in job.files)
        ).file_name,
        query=job.selection.form_query,
        headers={"Cache-Control": "no-store"},
    )


@router.post("/jobs/{job_id}/cancel")
def cancel_job(request: Request, jobs: JobsDep, job: JobDep) -> Response:
    """Cancel a job, and redirect to its page."""
    if job.state not in FINISHED:  # cancelling a finished job would delete its result
        jobs.cancel(job.id)
    return RedirectResponse(url_of(request, f"/jobs/{job.id}"), HTTPStatus.SEE_OTHER)
