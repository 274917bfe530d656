import { type BulkOperation, isCreation } from './bulk-operation.ts';

/** In which order operations can be performed. */
export interface BulkOrder {
  readonly order: readonly BulkOperation[];
  /** Those that refer to each other in a circle, and those that refer to one of them. */
  readonly circular: readonly BulkOperation[];
}

/**
 * The order of the request, except that an operation waits for all that it refers to and follows right
 * behind the last of them. So operations on the same resource keep their order, and what they come to
 * is what the client meant (RFC 7644 §3.7). Linear in the number of operations and references.
 */
export function toOrder(operations: readonly BulkOperation[]): BulkOrder {
  const waiting = countReferents(operations);
  const dependants = groupByReferent(operations);
  const done = new Set<BulkOperation>();
  const release = (operation: BulkOperation): BulkOperation[] => {
    const released: BulkOperation[] = [];
    const bulkId = isCreation(operation) ? operation.bulkId : undefined;
    for (const dependant of dependants.get(bulkId ?? '') ?? []) {
      const left = (waiting.get(dependant) ?? 0) - 1;
      waiting.set(dependant, left);
      if (left === 0) released.push(dependant);
    }
    return released;
  };
  for (const operation of operations) {
    if (waiting.get(operation) !== 0) continue;
    const ready = [operation];
    for (const next of ready) {
      done.add(next);
      // Those whose turn is still to come are not drawn forward.
      ready.push(...release(next).filter(({ index }) => index < operation.index));
    }
  }
  return {
    order: [...done],
    circular: operations.filter((operation) => !done.has(operation)),
  };
}

/** How many operations each one waits for. What nobody creates is waited for by nobody. */
function countReferents(operations: readonly BulkOperation[]): Map<BulkOperation, number> {
  const created = new Map<string, number>();
  for (const { bulkId } of operations.filter(isCreation)) {
    if (bulkId !== undefined) created.set(bulkId, (created.get(bulkId) ?? 0) + 1);
  }
  return new Map(
    operations.map((operation) => {
      let count = 0;
      for (const bulkId of listNames(operation)) count += created.get(bulkId) ?? 0;
      return [operation, count];
    }),
  );
}

function groupByReferent(operations: readonly BulkOperation[]): Map<string, BulkOperation[]> {
  const dependants = new Map<string, BulkOperation[]>();
  for (const operation of operations) {
    for (const bulkId of listNames(operation)) {
      const list = dependants.get(bulkId);
      if (list) list.push(operation);
      else dependants.set(bulkId, [operation]);
    }
  }
  return dependants;
}

function listNames(operation: BulkOperation): Iterable<string> {
  return operation.kind === 'write' ? operation.references : [];
}
