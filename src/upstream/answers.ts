import { type AnswerHead, findWords, readAnswerBody, toHead } from './answer-body.ts';
import { classifyStatus, UpstreamError, unreadable } from './errors.ts';
import type { Answer } from './exchange.ts';
import { withoutToken } from './headers.ts';
import type { RedirectTarget } from './operations/call-types.ts';
import type { Operation } from './operations/operation.ts';
import { parseRetryAfterMs } from './retry.ts';

/** A successful answer. */
export interface Answered {
  /** The parsed JSON, the target that was asked for, or undefined for an empty answer. */
  readonly value: unknown;
  readonly head: AnswerHead;
}

/** What the error of an answer is made with. */
interface Circumstances {
  readonly token: string;
  readonly nowMs: number;
  readonly pauseMs: number | undefined;
  /** `message`: the service's words stand in the message too. */
  readonly wordsIn?: 'message' | undefined;
}

/** Reads an answer as its operation has it; other than 2xx it is an error. @param url of the request. */
export function readAnswer(
  { operation: { id, response }, url }: { operation: Operation; url: string },
  answer: Answer,
  circumstances: Circumstances,
): Answered | UpstreamError {
  const { status, headers } = answer;
  const head = toHead(status, headers);
  if (status >= 200 && status < 300) {
    const isOpaque = response.kind === 'none' || response.kind === 'stream';
    return isOpaque ? { value: answer.content, head } : parseAnswer(id, answer, head);
  }
  const target = response.kind === 'redirect' ? findTarget(answer, url) : undefined;
  return target ? { value: target, head } : toAnswerError(id, answer, circumstances);
}

/** The JSON, undefined when the answer is empty; or the error `unreadable`: the work may be done then. */
function parseAnswer(operation: string, { text }: Answer, head: AnswerHead) {
  const body = readAnswerBody(text);
  if (body.kind === 'empty') return { value: undefined, head };
  if (body.kind === 'json') return { value: body.value, head };
  return unreadable(operation, `the answer is no JSON but ${body.kind}`, { ...head, body });
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Target of a redirect; undefined when it is none or leads to no web address. @param asked URL of the request. */
function findTarget({ status, headers }: Answer, asked: string): RedirectTarget | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(status) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, asked);
  const isWeb = target?.protocol === 'https:' || target?.protocol === 'http:';
  return isWeb ? { url: target.href, status } : undefined;
}

/** Credentials in a header's form (RFC 6750, RFC 7617); words alone, as in `Basic membership`, are none. */
const CREDENTIALS = /\b(Bearer|Basic) +(?=[\w.~+/=-]*[\d=])[\w.~+/=-]{8,}/gi;

/** The token never comes back in the service's words. */
function toAnswerError(
  operation: string,
  answer: Answer,
  { token, nowMs, pauseMs, wordsIn }: Circumstances,
): UpstreamError {
  const { code, retry, outcome } = classifyStatus(answer.status);
  const body = readAnswerBody(withoutToken(answer.text, token).replace(CREDENTIALS, '$1 [token]'));
  const words = findWords(body);
  const said = wordsIn === 'message' && words !== undefined ? `: ${words}` : '';
  return new UpstreamError(code, {
    operation,
    detail: `the service answered ${answer.status}${said}`,
    retry,
    outcome,
    ...toHead(answer.status, answer.headers),
    body,
    words,
    retryAfterMs: pauseMs ?? parseRetryAfterMs(answer.headers, nowMs),
  });
}
