import type { Directory } from '../directory.ts';
import type { Faults } from '../faults.ts';
import { operations } from '../operations.ts';
import { Refusal } from '../refusal.ts';
import { handlers } from './handlers.ts';
import { type Match, matchOperation } from './match.ts';
import { parseJson } from './read-body.ts';
import { type Face, toErrorWire, toWire, type Wire } from './wire.ts';

/** The company that a call is for. */
export interface Callee {
  readonly directory: Directory;
  readonly faults: Faults;
  readonly baseUrl: string;
}

/** A call as it came. */
export interface IncomingCall {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** The body as it was sent; empty when there is none. */
  readonly text: string;
  /** The caller's address, as the audit log shows it. */
  readonly address: string;
}

/** Carries a call out. It never waits: a call is done completely or not at all. */
export function carryOut({ directory, faults, baseUrl }: Callee, call: IncomingCall): Wire {
  const face = toFace(call.path);
  const shape = directory.shape();
  try {
    const match = getOperation(matchOperation(call.method, call.path));
    faults.assertAllowed(operations[match.operation].section);
    const answer = handlers[match.operation](directory, {
      params: match.params,
      query: new URLSearchParams(call.query),
      body: parseJson(call.text),
      baseUrl,
      author: { userId: directory.ownerId, address: call.address },
    });
    return toWire(answer, face, shape);
  } catch (error) {
    const known = error instanceof Refusal ? error : { status: 500, message: String(error) };
    return toErrorWire(known, face, shape.errorBody);
  }
}

/** The interface that a path belongs to. */
export function toFace(path: string): Face {
  return path.startsWith('/scim/') ? 'scim' : 'rest';
}

function getOperation(match: Match): Extract<Match, { kind: 'operation' }> {
  if (match.kind === 'unknown-path') throw new Refusal('not-found', 'Not Found');
  if (match.kind === 'wrong-method') throw new Refusal('wrong-method', 'Method Not Allowed');
  return match;
}
