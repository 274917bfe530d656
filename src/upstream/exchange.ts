import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Operation } from './operations/operation.ts';
import type { DispatchedAnswer, RequestDispatcher } from './request-dispatcher.ts';

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: Operation['method'];
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body: string | Readable | undefined;
}

/** Limits of one exchange. Network timeouts run in real time, whatever clock the rest follows. */
export interface ExchangeLimits {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly responseBytesMax: number;
  /** A successful answer longer than this is passed over. */
  readonly skipAnswerAboveBytes: number | undefined;
  readonly signal: AbortSignal;
}

/** An answer, read completely, or with an empty text where it was passed over. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The body is larger than we are ready to hold. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly status: number;
  constructor(status: number, bytesMax: number) {
    super(`the response is larger than ${bytesMax} bytes`);
    this.status = status;
  }
}

/** Sends one request and reads its answer. @throws ResponseTooLarge, the signal's reason, or an error of undici. */
export async function exchange(
  dispatcher: RequestDispatcher,
  request: WireRequest,
  limits: ExchangeLimits,
): Promise<Answer> {
  const { origin, path, method, headers, body } = request;
  const answer = await dispatcher.request({
    origin,
    path,
    method,
    headers,
    body: body ?? null,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    signal: limits.signal,
  });
  const text = await readText(answer, limits);
  return { status: answer.statusCode, headers: answer.headers, text };
}

async function readText(
  answer: DispatchedAnswer,
  { responseBytesMax, skipAnswerAboveBytes }: ExchangeLimits,
): Promise<string> {
  const { body, headers, statusCode } = answer;
  const isSuccess = statusCode >= 200 && statusCode < 300;
  const keptMax = isSuccess ? (skipAnswerAboveBytes ?? responseBytesMax) : responseBytesMax;
  const announced = Number(headers['content-length'] ?? Number.NaN);
  if (announced <= Math.min(keptMax, responseBytesMax)) return await body.text(); // The fast way; undici holds the service to its word.
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > responseBytesMax) throw new ResponseTooLarge(statusCode, responseBytesMax);
    if (bytes > keptMax || announced > keptMax) chunks = [];
    else chunks.push(buffer);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
