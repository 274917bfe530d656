import type { Ops, OpsName } from './types.ts';

/** Answer of the bridge that is no success. */
export class OpsError extends Error {
  override readonly name = 'OpsError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, { code, message }: { code: string; message: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Time after the last key or click for which a person counts as there, in milliseconds. */
const THERE_MS = 60_000;
let presentAt = Date.now();

/** Reads below `/ops`. `name` is the schema of the answer. @throws OpsError */
export async function read<Name extends OpsName>(
  _name: Name,
  path: string,
  signal?: AbortSignal,
): Promise<Ops<Name>> {
  const headers = Date.now() - presentAt < THERE_MS ? {} : { 'X-Scim-Bridge-Refresh': '1' };
  return parseAnswer(await exchange(`/ops${path}`, { headers, signal: signal ?? null }));
}

/** Changes something below `/ops`; the act that is sent says what is answered. @throws OpsError */
export async function change<Answer>(path: string, body?: object): Promise<Answer> {
  return parseAnswer(await exchange(`/ops${path}`, toSent('POST', body)));
}

/** Person who is signed in; `name` is null when nobody is. */
export interface Me {
  readonly name: string | null;
  readonly role?: 'reader' | 'operator';
  readonly expiresAt?: string;
  /** True where people may sign in with the identity provider of their company. */
  readonly oidc?: boolean;
  /** True where somebody was signed in on this page before, and did not sign out. */
  readonly isOver?: boolean;
  /** Where the session at the identity provider ends, after signing out. */
  readonly endAt?: string | null;
}

/** Asks who is signed in, signs in, or signs out. @throws OpsError */
export async function askSession(method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Me> {
  return parseAnswer(await exchange('/console/session', toSent(method, body)));
}

/** Notes each use of the page: requests of a page that nobody uses do not keep the session alive. */
export function watchPresence(): void {
  const note = () => {
    presentAt = Date.now();
  };
  for (const type of ['pointerdown', 'keydown', 'wheel'])
    addEventListener(type, note, { passive: true });
}

function toSent(method: string, body: object | undefined): RequestInit {
  return {
    method,
    headers: { 'Content-Type': 'application/json', 'X-Scim-Bridge-Console': '1' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

async function exchange(path: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(path, { credentials: 'same-origin', ...init }).catch((cause) => {
    throw new Error('The bridge does not answer.', { cause });
  });
  const json: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return json;
  const { code = 'failed', message = `The bridge answered ${answer.status}.` } = Object(json);
  throw new OpsError(answer.status, { code: String(code), message: String(message) });
}

/** The bridge answers as its schemas say; its own tests hold it to that. */
function parseAnswer<Answer>(json: unknown): Answer {
  return json as Answer;
}
