import { type BulkOperation, type BulkWrite, isCreation, listNames } from './bulk-operation.ts';
import { findTargetName, listReferences, splitReferences } from './references.ts';

/** Order in which operations can be performed. */
interface BulkOrder {
  readonly order: readonly BulkOperation[];
  /** Those that refer to each other in a circle, and those that refer to one of them. */
  readonly circular: readonly BulkOperation[];
}

/**
 * Puts each operation right behind the last one that it refers to, and otherwise keeps the order of the
 * request. So operations on the same resource keep their order, as the client meant it (RFC 7644 §3.7). Linear in the number of operations and references.
 */
export function toOrder(operations: readonly BulkOperation[]): BulkOrder {
  const waiting = countReferents(operations);
  const dependants = groupByReferent(operations);
  const done = new Set<BulkOperation>();
  const free = (operation: BulkOperation): BulkOperation[] => {
    const freed: BulkOperation[] = [];
    const bulkId = isCreation(operation) ? operation.bulkId : undefined;
    for (const dependant of dependants.get(bulkId ?? '') ?? []) {
      const left = (waiting.get(dependant) ?? 0) - 1;
      waiting.set(dependant, left);
      if (left === 0) freed.push(dependant);
    }
    return freed;
  };
  for (const operation of operations) {
    if (waiting.get(operation) !== 0) continue;
    const ready = [operation];
    for (const next of ready) {
      done.add(next);
      // Later operations keep their own turn.
      ready.push(...free(next).filter(({ index }) => index < operation.index));
    }
  }
  return {
    order: [...done],
    circular: operations.filter((operation) => !done.has(operation)),
  };
}

/** Counts the operations that each one waits for; a bulkId that no POST has is not waited for. */
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

/**
 * The operations without the circles that managers make: a new user in one, or behind one, is created without its manager, which
 * is set when its manager is there, before other operations change or delete the user. Other circles stay, as
 * those of groups. Linear in the number of operations and references.
 * @see RFC 7644 §3.7.1
 */
export function breakCircles(operations: readonly BulkOperation[]): BulkOperation[] {
  const { circular } = toOrder(operations);
  const inCircle = new Set(circular);
  const broken: BulkOperation[] = [];
  for (const operation of operations) {
    const isPostponed =
      operation.kind === 'write' && inCircle.has(operation) && operation.type === 'User';
    broken.push(isPostponed ? postpone(operation) : operation);
  }
  return putBehind(broken);
}

/** What changes a user whose manager is set later comes after that: otherwise the manager would undo the change. */
function putBehind(operations: readonly BulkOperation[]): BulkOperation[] {
  const lacking = new Map<string, ReadonlySet<string>>();
  for (const operation of operations) {
    if (operation.kind === 'malformed' || operation.postponed === undefined) continue;
    lacking.set(operation.bulkId ?? '', operation.postponed.references);
  }
  return operations.map((operation) => {
    const behind = lacking.get(findTargetName(operation) ?? '');
    return behind && operation.kind === 'write' ? { ...operation, behind } : operation;
  });
}

function postpone(operation: BulkWrite): BulkWrite {
  const { action, references } = operation;
  if (action.method !== 'POST') return operation;
  const { rest, referring } = splitReferences(action.data);
  const now = { ...action, data: rest };
  return {
    ...operation,
    action: now,
    references: listReferences(now),
    postponed: { value: referring, references },
  };
}
