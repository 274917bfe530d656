import { onTestFinished } from 'vitest';
import type { Sandbox, SandboxOptions } from './sandbox.ts';
import { startSandbox } from './sandbox.ts';

/** Answer as a test sees it. `body` is the parsed JSON, or the text when it is none. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A sandbox that stops with the test, and a client for it. */
export interface TestSandbox {
  readonly sandbox: Sandbox;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
}

/** Starts a sandbox for the running test. */
export async function startForTest(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.stop());
  return { sandbox, call: (method, path, body) => callUrl(sandbox, { method, path, body }) };
}

/** One request with the token of a sandbox. */
export async function callUrl(
  { url, token }: { url: string; token: string },
  { method, path, body }: { method: string; path: string; body?: unknown },
): Promise<TestAnswer> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  };
}
