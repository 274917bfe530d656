import { BridgeError } from '../domain/errors.ts';
import { findApiFailure, toApiFailure } from '../ops/api/failure.ts';
import { findOperation } from '../ops/api/find-operation.ts';
import type { ApiSource } from '../ops/sources.ts';
import type { Convergence } from '../reconcile/loop/convergence.ts';
import type { Errand, ErrandAnswer } from '../reconcile/loop/errands.ts';
import type { DriftKeeper } from '../reconcile/repair/keeper.ts';
import { UpstreamError } from '../upstream/errors.ts';

/** Parts of a leader that its errands use. */
interface ErrandParts {
  readonly convergence: Pick<Convergence, 'readPrivilege'>;
  readonly callForOperator: ApiSource['call'];
  readonly look: DriftKeeper['look'];
}

/** Makes a call that another process asks for. Never rejects. */
export async function performErrand(
  { convergence, callForOperator, look }: ErrandParts,
  errand: Errand,
): Promise<ErrandAnswer> {
  try {
    if (errand.kind === 'read-privilege') {
      await convergence.readPrivilege(errand.resource, errand);
      return { kind: 'done', result: null };
    }
    if (errand.kind === 'look') return { kind: 'done', result: await look(errand.request) };
    const found = findOperation(errand.operation);
    if (found.kind !== 'found') throw new BridgeError('bug', `no operation ${errand.operation}`);
    const result = await callForOperator(found.operation, errand.args, {});
    return { kind: 'done', result: result ?? null };
  } catch (error) {
    return { kind: 'failed', failure: toFailure(error) };
  }
}

/** A failure as another process reads it. */
function toFailure(error: unknown): unknown {
  if (error instanceof UpstreamError) return toApiFailure(error);
  if (error instanceof BridgeError) return { code: error.code, message: error.message };
  return { code: 'bug', message: error instanceof Error ? error.message : String(error) };
}

/** The failure of an errand as the leader met it. */
export function toErrandError(failure: unknown): Error {
  const call = findApiFailure(failure);
  if (call !== undefined) return call;
  const { code, message } = Object(failure);
  return new BridgeError(String(code), String(message));
}
