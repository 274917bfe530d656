import type { Operation } from '../../upstream/operations/operation.ts';
import type { Directory } from '../directory.ts';
import type { Faults } from '../faults.ts';
import { findSection, getRow, matchOperation, type OperationName } from '../operations.ts';
import { parseJson, Refusal } from '../refusal.ts';
import { SandboxService } from '../service.ts';
import type { SandboxShape } from '../shape.ts';
import { handlers } from './handlers.ts';
import { toErrorWire, toFace, toWire, type Wire } from './wire.ts';

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
  const shape = directory.shape();
  try {
    const match = matchOperation(call.method, call.path);
    if (match.kind === 'unknown-path') throw new Refusal(404, 'Not Found');
    if (match.kind === 'wrong-method') throw new Refusal(405, 'Method Not Allowed');
    if (match.kind !== 'operation') throw new Error('unreachable');
    const { operation, params } = match;
    faults.assertAllowed(findSection(operation));
    const author = { userId: directory.ownerId, address: call.address };
    const body = handlers[operation]({
      ...{ params, shape, baseUrl, state: directory.state },
      query: new URLSearchParams(call.query),
      body: parseJson(call.text),
      service: new SandboxService(directory, author),
    });
    return toWire(toStatus(operation, shape), complete(getRow(operation), body));
  } catch (error) {
    const known = error instanceof Refusal ? error : { status: 500, message: String(error) };
    return toErrorWire(known, toFace(call.path), shape.errorBody);
  }
}

function toStatus(operation: OperationName, { updateStatus, deleteStatus }: SandboxShape): number {
  if (operation === 'scim.addUser') return 201;
  const { method } = getRow(operation);
  return method === 'PATCH' ? updateStatus : method === 'DELETE' ? deleteStatus : 200;
}

/** What REST answers has all documented fields: null where the sandbox knows nothing. */
function complete({ api, response }: Operation, body: unknown): unknown {
  if (api === 'scim') return body;
  const unknown = Object.fromEntries(response.fields.map((name) => [name, null]));
  const completeOne = (entry: unknown) => Object.assign({ ...unknown }, entry);
  return Array.isArray(body) ? body.map(completeOne) : completeOne(body);
}
