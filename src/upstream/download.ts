import { type AnswerHead, toHead } from './answer-body.ts';
import type { Clock } from './clock.ts';
import { UpstreamError } from './errors.ts';
import { type Answer, exchange } from './exchange.ts';
import { toAnswerError, toExchangeError } from './failures.ts';
import type { RedirectTarget } from './operations/call-types.ts';
import { type CallScope, openCallScope } from './outgoing-call.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';
import { addHeaders, type Bearer } from './send.ts';
import type { CallOptions, Timeouts } from './transport-options.ts';

/** Content of an answer, which arrives while it is read, with what the headers say of it. */
export interface Download extends AnswerHead {
  /** Must be read to its end or cancelled: the connection is in use until then. */
  readonly content: ReadableStream<Uint8Array>;
  /** Media type, as the answer names it. */
  readonly type: string | undefined;
  /** Length in bytes, where it is known before the end. */
  readonly bytes: number | undefined;
  /** File name of `Content-Disposition` without any folder; it comes from the other side and must be checked. */
  readonly fileName: string | undefined;
}

const ID = 'client.download';

/** Runs a call whose answer is a stream, and puts its head and its content together. */
export async function toDownload(
  run: (onAnswer: (head: AnswerHead) => void) => Promise<unknown>,
): Promise<Download> {
  let head: AnswerHead | undefined;
  const content = await run((answered) => {
    head = answered;
  });
  if (head !== undefined && content instanceof ReadableStream) return describe(head, content);
  throw new UpstreamError('unreadable', {
    operation: ID,
    detail: 'the answer has no content',
    retry: 'later',
    outcome: 'unknown',
    ...head,
  });
}

/** Dependencies of `downloadFrom`. */
export interface DownloadDeps {
  /** A sender to any host, which the service's own is not. */
  readonly elsewhere: () => RequestDispatcher;
  readonly timeouts: Timeouts;
  readonly responseBytesMax: number;
  readonly bearer: Pick<Bearer, 'token'>;
  readonly wordsIn: 'message' | undefined;
  readonly clock: Clock;
}

/**
 * Gets a content from the address that a redirect led to: without the token, which belongs to the service alone, and
 * once. @throws UpstreamError; TypeError for an address that is none of the web.
 */
export async function downloadFrom(
  deps: DownloadDeps,
  { url }: RedirectTarget,
  options: CallOptions,
): Promise<Download> {
  const { withinMs, timeoutMs = deps.timeouts.callMs, signal } = options;
  const target = URL.parse(url);
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:') {
    throw new TypeError(`${ID}: url must be an address of the web`);
  }
  const scope = openCallScope(deps.clock, withinMs ?? timeoutMs, signal);
  try {
    const answer = await get(deps, target, { scope, options });
    const { content, status, headers } = answer;
    if (content) return describe(toHead(status, headers), content);
    const { bearer, wordsIn, clock } = deps;
    const circumstances = {
      token: bearer.token,
      wordsIn,
      nowMs: clock.now(),
      pauseMs: undefined,
    };
    throw toAnswerError(ID, answer, circumstances);
  } finally {
    scope.close();
  }
}

async function get(
  deps: DownloadDeps,
  { origin, pathname, search }: URL,
  { scope, options: { signal, headers } }: { scope: CallScope; options: CallOptions },
): Promise<Answer> {
  const { headersMs, bodyMs } = deps.timeouts;
  let isSent = false;
  const toError = (cause: unknown) => {
    const ended = signal?.aborted ? 'caller' : undefined;
    return toExchangeError(ID, cause, { scope: { ended }, isSent: true });
  };
  const request = {
    origin,
    path: pathname + search,
    method: 'GET' as const,
    headers: addHeaders(['accept', '*/*', 'accept-encoding', 'identity'], headers),
    body: undefined,
  };
  try {
    return await exchange(deps.elsewhere(), request, {
      headersMs,
      bodyMs,
      responseBytesMax: deps.responseBytesMax,
      skipAnswerAboveBytes: undefined,
      signal: scope.signal,
      refuse: () => undefined,
      onSent: () => {
        isSent = true;
      },
      stream: { signal, toError },
    });
  } catch (cause) {
    throw toExchangeError(ID, cause, { scope, isSent });
  }
}

function describe(head: AnswerHead, content: ReadableStream<Uint8Array>): Download {
  const length = Number(first(head, 'content-length') ?? 'none');
  return {
    ...head,
    content,
    type: first(head, 'content-type'),
    bytes: Number.isSafeInteger(length) ? length : undefined,
    fileName: findFileName(first(head, 'content-disposition') ?? ''),
  };
}

function first({ headers }: AnswerHead, name: string): string | undefined {
  return [headers[name] ?? []].flat()[0];
}

/** `filename*=UTF-8''…` goes before `filename=` (RFC 6266 §4.3). */
function findFileName(disposition: string): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition) ?? [];
  const [, quoted, plain] = /filename=(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? [];
  const name = (decode(encoded) ?? quoted ?? plain)?.split(/[\\/]/).at(-1);
  return name === '' || name === '.' || name === '..' ? undefined : name;
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
