import type { AnswerHead } from './answer-body.ts';
import { Budget } from './budget.ts';
import { type CallDeps, runCall } from './call.ts';
import { unreadable } from './errors.ts';
import type { Answerer, RequestDispatcher } from './exchange.ts';
import { createGates } from './gates.ts';
import type { RedirectTarget } from './operations/call-types.ts';
import { DOWNLOAD } from './raw-request.ts';
import type { CallOptions } from './transport-options.ts';

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

const { id: ID } = DOWNLOAD;

/** Runs a call whose answer is a stream, and puts its head and its content together. */
export async function toDownload(
  run: (onAnswer: (head: AnswerHead) => void) => Promise<unknown>,
): Promise<Download> {
  let head: AnswerHead | undefined;
  const content = await run((answered) => {
    head = answered;
  });
  if (head !== undefined && content instanceof ReadableStream) return describe(head, content);
  throw unreadable(ID, 'the answer has no content', head);
}

/**
 * Gets a content from the address that a redirect led to, by a dispatcher that reaches any host: once, and without the
 * token, the budget, the gates and the hooks, which belong to the service alone.
 * @throws TypeError for an address that is none of the web
 */
export async function runElsewhere(
  deps: CallDeps,
  args: RedirectTarget,
  {
    callOptions,
    dispatcher,
  }: { callOptions: CallOptions; dispatcher: RequestDispatcher | Answerer },
): Promise<unknown> {
  const target = URL.parse(args.url);
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:') {
    throw new TypeError(`${ID}: url must be an address of the web`);
  }
  const { clock, bearer } = deps;
  const limits = { requestsPerSecond: 0, marginMs: 0, inFlightMax: 1, queueMax: 0, clock };
  const elsewhere: CallDeps = {
    ...deps,
    origin: target.origin,
    dispatcher,
    bearer: { token: bearer.token, headers: { 'accept-encoding': 'identity' } },
    budget: new Budget(limits),
    gates: createGates(clock),
    hooks: {},
  };
  const path = target.pathname + target.search;
  const options = { ...callOptions, attemptsMax: 1 };
  return await runCall(elsewhere, { operation: DOWNLOAD, args, path, body: undefined, options });
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
