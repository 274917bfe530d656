import type { CaseFailure } from './run-case.ts';

const bodyCharactersMax = 2_000;

/** A failure for a person: which case and step, what was sent, what came, what was wanted. Without the token. */
export function describeFailure(failure: CaseFailure): string {
  const { providerCase, stepIndex, request, answer, problems } = failure;
  const { authorization, ...headers } = request.headers;
  const note = providerCase.steps[stepIndex]?.note;
  return [
    `${providerCase.id} (${providerCase.name}), step ${stepIndex + 1} of ${providerCase.steps.length}`,
    ...problems.map((problem) => `  ✗ ${problem}`),
    ...[note, providerCase.note]
      .filter((text) => text !== undefined)
      .map((text) => `  note: ${text}`),
    `  source: ${providerCase.source} (${providerCase.provenance})`,
    `  → ${request.method} ${request.path}`,
    `    ${JSON.stringify(headers)} ${authorization === undefined ? 'no' : 'with'} authorization`,
    `    ${shorten(request.body ?? '(no body)')}`,
    `  ← ${answer.status} ${answer.headers['content-type'] ?? '(no content type)'}`,
    `    ${shorten(answer.body === '' ? '(no body)' : answer.body)}`,
  ].join('\n');
}

function shorten(text: string): string {
  return text.length <= bodyCharactersMax ? text : `${text.slice(0, bodyCharactersMax)} …`;
}
