import { isFormData } from '../../upstream/operations/part.ts';
import type {
  AnswerHandler,
  DispatchController,
  DispatchedRequest,
  RequestDispatcher,
} from '../../upstream/request-dispatcher.ts';
import type { MockRequest } from './mock-routes.ts';

/** An answer of the mock; an undefined body is none. */
export interface MockAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Creates a sender that hands each request to a function instead of a network. */
export function createMockDispatcher(
  answer: (request: MockRequest) => Promise<MockAnswer>,
): RequestDispatcher {
  return {
    dispatch(options, handler) {
      void exchange(options, handler, answer);
      return true;
    },
  };
}

async function exchange(
  options: DispatchedRequest,
  handler: AnswerHandler,
  answer: (request: MockRequest) => Promise<MockAnswer>,
): Promise<void> {
  let aborted: Error | undefined;
  const controller: DispatchController = {
    abort(reason) {
      aborted ??= reason;
    },
    pause: () => undefined,
    resume: () => undefined,
  };
  try {
    handler.onRequestStart(controller, null);
    if (aborted) throw aborted;
    const request = readRequest(options);
    handler.onRequestSent();
    const { status, headers, body } = await answer(request);
    if (aborted) return;
    handler.onResponseStart(controller, status, { ...headers });
    if (body !== undefined) handler.onResponseData(controller, Buffer.from(JSON.stringify(body)));
    handler.onResponseEnd(controller, {});
  } catch (error) {
    handler.onResponseError(controller, error instanceof Error ? error : new Error(String(error)));
  }
}

function readRequest(options: DispatchedRequest): MockRequest {
  const { method, path: url, body } = options;
  const headers = toNamed(options.headers);
  if (typeof body === 'string') return { method, url, headers, body: JSON.parse(body) };
  return { method, url, headers, body: isFormData(body) ? toFields(body) : undefined };
}

function toNamed(headers: unknown): Record<string, string> {
  const pairs: unknown[] = Array.isArray(headers) ? headers : [];
  const named = pairs.flatMap((name, n) =>
    n % 2 === 0 ? [[String(name), String(pairs[n + 1])]] : [],
  );
  return Object.fromEntries(named);
}

/** A name that came several times is a list. */
function toFields(form: FormData): Record<string, unknown> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = form.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
