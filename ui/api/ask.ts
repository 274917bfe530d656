import { isPersonThere } from './presence.ts';
import type { Ops, OpsName } from './types.ts';

/** Answer of the bridge that is no success. */
export class OpsError extends Error {
  override readonly name = 'OpsError';
  readonly status: number;
  /** Stable word for programs. */
  readonly code: string;
  constructor(status: number, { code, message }: { code: string; message: string }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Reads below `/ops`. `name` is the schema of the answer. @throws OpsError */
export async function read<Name extends OpsName>(
  _name: Name,
  path: string,
  signal?: AbortSignal,
): Promise<Ops<Name>> {
  const headers = isPersonThere() ? {} : { 'X-Scim-Bridge-Refresh': '1' };
  return parseAnswer<Name>(await exchange(`/ops${path}`, { headers, signal: signal ?? null }));
}

/** Changes something below `/ops`; the act that is sent says what is answered. @throws OpsError */
export async function change<Answer>(path: string, body?: object): Promise<Answer> {
  return parseChanged(await exchange(`/ops${path}`, { method: 'POST', ...toBody(body) }));
}

/** Person who is signed in; `name` is null when nobody is. */
export interface Me {
  readonly name: string | null;
  readonly role?: 'reader' | 'operator';
  readonly expiresAt?: string;
  /** True where people may sign in with the identity provider of their company. */
  readonly oidc?: boolean;
  /** Where the session at the identity provider ends, after signing out. */
  readonly endAt?: string | null;
}

/** Asks who is signed in, signs in, or signs out. @throws OpsError */
export async function askSession(method: 'GET' | 'POST' | 'DELETE', body?: object): Promise<Me> {
  return parseMe(await exchange('/console/session', { method, ...toBody(body) }));
}

function toBody(body: object | undefined): RequestInit {
  return {
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
  throw new OpsError(answer.status, toProblem(json, answer.status));
}

function toProblem(json: unknown, status: number): { code: string; message: string } {
  const isOurs = typeof json === 'object' && json !== null && 'code' in json && 'message' in json;
  if (!isOurs) return { code: 'failed', message: `The bridge answered ${status}.` };
  return { code: String(json.code), message: String(json.message) };
}

/** The bridge answers as its schemas say; its own tests hold it to that. */
function parseAnswer<Name extends OpsName>(json: unknown): Ops<Name> {
  return json as Ops<Name>;
}

function parseChanged<Answer>(json: unknown): Answer {
  return json as Answer;
}

function parseMe(json: unknown): Me {
  return json as Me;
}
