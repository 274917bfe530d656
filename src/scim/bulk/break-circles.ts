import { type BulkOperation, type BulkWrite, isCreation, listNames } from './bulk-operation.ts';
import { findTargetName, listReferences, splitReferences } from './references.ts';
import { toOrder } from './to-order.ts';

/**
 * The operations without the circles that managers make: a new user in one is created without its manager, which
 * is set when its manager is there, before other operations change or delete the user. Other circles stay: groups
 * cannot be members of groups. Linear in the number of operations and references.
 * @see RFC 7644 §3.7.1
 */
export function breakCircles(operations: readonly BulkOperation[]): BulkOperation[] {
  const { circular } = toOrder(operations);
  const inCircle = new Set(keepReferred(circular));
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

/** Operations that others of the circle refer to: nothing waits for the others. */
function keepReferred(circular: readonly BulkOperation[]): BulkOperation[] {
  const referrers = new Map<string, number>();
  const count = (operation: BulkOperation, by: 1 | -1) => {
    for (const bulkId of listNames(operation)) {
      referrers.set(bulkId, (referrers.get(bulkId) ?? 0) + by);
    }
  };
  for (const operation of circular) count(operation, 1);
  const byBulkId = new Map(circular.filter(isCreation).map((one) => [one.bulkId ?? '', one]));
  const kept = new Set(circular);
  const isFree = ({ bulkId }: BulkOperation) => (referrers.get(bulkId ?? '') ?? 0) === 0;
  const free = circular.filter((operation) => !isCreation(operation) || isFree(operation));
  for (const operation of free) {
    kept.delete(operation);
    count(operation, -1);
    for (const bulkId of listNames(operation)) {
      const named = byBulkId.get(bulkId);
      if (named && kept.has(named) && isFree(named)) free.push(named);
    }
  }
  return [...kept];
}

function postpone(operation: BulkWrite): BulkWrite {
  const { action, references } = operation;
  if (action.method !== 'POST') return operation;
  const { rest, referring } = splitReferences(action.data);
  const now = { ...action, data: rest };
  return {
    ...operation,
    action: now,
    references: listReferences(now, operation.type),
    postponed: { value: referring, references },
  };
}
