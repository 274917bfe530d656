import type { Profile } from '../../domain/credential.ts';
import { assertNever } from '../../domain/errors.ts';
import { toResourceKey } from '../../domain/ids.ts';
import type { Lock } from '../../reconcile/bounded-wait.ts';
import type { RequestContext } from '../../telemetry/request-context.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import type { Content } from '../dialect/parse-resource.ts';
import { invalidValue, ScimError } from '../errors.ts';
import { groupKind } from '../groups/accept.ts';
import { ANY_VERSION } from '../http/etag.ts';
import { assertOpen } from '../http/guards.ts';
import { toScimError } from '../http/respond.ts';
import {
  attempt,
  createRequestRepairs,
  type RepairedParts,
  type RequestRepairs,
  UNCOUNTED,
} from '../repairs.ts';
import { userKind } from '../users/accept.ts';
import type { Sent } from '../writes/read-privilege.ts';
import {
  type AcceptedWrite,
  settleWrite,
  tellUnchanged,
  type WriteTarget,
} from '../writes/write-result.ts';
import {
  type BulkAction,
  type BulkOperation,
  type BulkRequest,
  type BulkWrite,
  isCreation,
  listNames,
} from './bulk-operation.ts';
import { findTargetName, isReference, resolveReferences, resolveText } from './references.ts';
import { breakCircles, toOrder } from './to-order.ts';

/** Result of one operation, what its data says, and the parts of it that were not taken. */
export type BulkResult = Outcome & {
  readonly content: Content | undefined;
  readonly repaired: readonly RepairedParts[];
};

type Outcome =
  | {
      readonly kind: 'accepted';
      readonly operation: BulkWrite;
      readonly id: string;
      readonly accepted: AcceptedWrite;
    }
  | {
      readonly kind: 'failed';
      readonly operation: BulkOperation;
      /** Id of the resource it was for, where one is known. */
      readonly id: string | undefined;
      readonly error: ScimError;
    };

/** State of a bulk request while it runs. */
interface Run {
  readonly deps: ProviderDeps;
  readonly requestId: string;
  /** The operations that others may name. */
  readonly creations: ReadonlyMap<string, BulkOperation>;
  readonly results: Map<BulkOperation, Outcome>;
  readonly failed: Set<BulkOperation>;
  readonly settlements: Settlements;
  /** Corrections of each operation. */
  readonly repairs: Map<BulkOperation, RequestRepairs>;
  /** What the data of each operation says. */
  readonly contents: Map<BulkOperation, Content>;
  readonly profile: Profile;
}

/**
 * Performs the operations one after the other, each in a transaction of its own. Returns the results of those
 * that were performed, in the order of the request.
 *
 * An operation is stored only when all operations it refers to are settled: a refused write is undone
 * before another one builds on it. With failOnErrors nothing is stored either while the writes under way
 * could still reach that number. All this waiting is within the one wait of the request; once that is over,
 * stored writes count as accepted, and the rest follows at once.
 */
export async function runBulk(
  deps: ProviderDeps,
  { operations: asked, failOnErrors }: BulkRequest,
  { requestId, arrivedAt, profile }: RequestContext & { readonly profile: Profile },
): Promise<BulkResult[]> {
  const operations = breakCircles(asked);
  const run: Run = {
    deps,
    requestId,
    creations: toCreations(operations),
    results: new Map(),
    repairs: new Map(),
    contents: new Map(),
    profile,
    failed: new Set(),
    settlements: createSettlements(deps, arrivedAt, (operation, error) =>
      fail(run, operation, error),
    ),
  };
  const { order, circular } = toOrder(operations);
  const isCircular = new Set(circular);
  for (const operation of [...order, ...circular]) {
    if (run.failed.size + run.settlements.size >= failOnErrors) await run.settlements.settle();
    await settleReferents(run, operation);
    if (run.failed.size >= failOnErrors) break;
    if (isCircular.has(operation)) fail(run, operation, toCircle());
    else await perform(run, operation);
  }
  await run.settlements.settle();
  for (const [operation, result] of [...run.results]) await complete(run, operation, result);
  await run.settlements.settle();
  const results = [...run.results].map(([operation, outcome]) => ({
    ...outcome,
    content: run.contents.get(operation),
    repaired: run.repairs.get(operation)?.list() ?? [],
  }));
  return results.sort((a, b) => a.operation.index - b.operation.index);
}

async function perform(run: Run, operation: BulkOperation): Promise<void> {
  try {
    if (operation.kind === 'malformed') throw operation.error;
    const action = resolve(run, operation);
    const repairs = createRequestRepairs(run.deps.telemetry, run.profile);
    run.repairs.set(operation, repairs);
    // A member that no operation creates is an unknown one, beside which somebody may have to leave.
    const isOfMembers = operation.type === 'Group' && 'id' in action && !isReference(action.id);
    attempt(isOfMembers ? repairs : UNCOUNTED, undefined, () => assertResolved(run, operation));
    const accepted = await accept(run.deps, operation.type, {
      ...{ action, repairs },
      understood: (content) => run.contents.set(operation, content),
    });
    run.results.set(operation, { kind: 'accepted', operation, id: accepted.id, accepted });
    run.settlements.add(operation, accepted);
  } catch (error) {
    fail(run, operation, error);
  }
}

/**
 * Stores one write as the single request would, in a transaction of its own.
 * @throws ScimError as the single request
 */
async function accept(
  deps: ProviderDeps,
  type: 'User' | 'Group',
  { action, ...sent }: { readonly action: BulkAction } & Omit<Sent, 'body'>,
): Promise<AcceptedWrite> {
  const kind = type === 'User' ? userKind : groupKind;
  assertOpen(deps, kind.type);
  const toTarget = ({ id, preconditions }: WriteTarget): WriteTarget => ({
    id: toOwnId(deps, type, id),
    preconditions,
  });
  switch (action.method) {
    case 'POST':
      return kind.create(deps, { ...sent, body: action.data });
    case 'PUT':
      return kind.replace(deps, toTarget(action), { ...sent, body: action.data });
    case 'PATCH':
      return kind.patch(deps, toTarget(action), { ...sent, body: action.data });
    case 'DELETE':
      return kind.remove(deps, toTarget(action));
    default:
      return assertNever(action);
  }
}

/** Copies an operation only when it names others: most name none, and may be large. */
function resolve(run: Run, { action, references }: BulkWrite): BulkAction {
  if (references.size === 0) return action;
  return resolveReferences(action, (bulkId) => findId(run, bulkId));
}

/** Sets the attributes of a new user that had to wait for other new users. */
async function complete(run: Run, operation: BulkOperation, result: Outcome): Promise<void> {
  if (result.kind === 'failed' || result.operation.postponed === undefined) return;
  const { value, references } = result.operation.postponed;
  const data = { Operations: [{ op: 'add', value }] };
  const action = { method: 'PATCH', id: result.id, preconditions: ANY_VERSION, data } as const;
  try {
    for (const bulkId of references) {
      if (findId(run, bulkId) === undefined) throw toIncomplete();
    }
    const resolved = resolve(run, { ...result.operation, action, references });
    const accepted = await accept(run.deps, 'User', {
      ...{ action: resolved, repairs: UNCOUNTED },
      understood: () => undefined,
    });
    const completed = { ...result.operation, postponed: undefined };
    run.results.set(operation, { ...result, operation: completed, accepted });
    run.settlements.add(operation, accepted);
  } catch (error) {
    fail(run, operation, error, result.id);
  }
}

/** Settles what the operation waits for, and completes the user that it changes. */
async function settleReferents(run: Run, operation: BulkOperation): Promise<void> {
  const referents = [...listNames(operation)].flatMap((bulkId) => run.creations.get(bulkId) ?? []);
  if (referents.length > 0) await run.settlements.settle(referents);
  const created = run.creations.get(findTargetName(operation) ?? '');
  const result = created && run.results.get(created);
  if (created === undefined || result === undefined) return;
  await complete(run, created, result);
  await run.settlements.settle([created]);
}

/** @throws ScimError 400 where nothing has the bulkId, 409 where what had it failed */
function assertResolved(run: Run, { references }: BulkWrite): void {
  for (const bulkId of references) {
    if (!run.creations.has(bulkId)) {
      throw invalidValue('A bulkId is named that no POST of the request has.');
    }
    if (findId(run, bulkId) === undefined) {
      throw new ScimError(409, 'An operation of the request that this one refers to failed.');
    }
  }
}

function findId({ creations, results }: Run, bulkId: string): string | undefined {
  const creation = creations.get(bulkId);
  const result = creation && results.get(creation);
  return result?.id;
}

/** @param id of the resource that exists all the same */
function fail(run: Run, operation: BulkOperation, cause: unknown, id?: string): void {
  const error = toScimError(cause);
  if (error.status >= 500 && error.cause !== undefined) {
    run.deps.telemetry.failed({ requestId: run.requestId, error: error.cause });
  }
  run.failed.add(operation);
  run.results.set(operation, {
    kind: 'failed',
    operation,
    error,
    id: id ?? findTarget(run, operation),
  });
}

function findTarget(run: Run, operation: BulkOperation): string | undefined {
  if (operation.kind === 'malformed') return undefined;
  const { action } = operation;
  if (action.method === 'POST') return undefined;
  const id = resolveText(action.id, (bulkId) => findId(run, bulkId));
  return isReference(id) ? undefined : toOwnId(run.deps, operation.type, id);
}

function toOwnId({ formerIds }: ProviderDeps, type: BulkWrite['type'], id: string): string {
  return formerIds.toOwn(type === 'User' ? 'user' : 'group', id);
}

function toCreations(operations: readonly BulkOperation[]): Map<string, BulkOperation> {
  const creations = new Map<string, BulkOperation>();
  for (const operation of operations.filter(isCreation)) {
    if (operation.bulkId !== undefined) creations.set(operation.bulkId, operation);
  }
  return creations;
}

function toIncomplete(): ScimError {
  const detail =
    'The user was created without its manager, because the operation that creates the manager failed.';
  return new ScimError(409, detail);
}

/** @see RFC 7644 §3.7.1: a server that cannot resolve a circle answers 409 */
function toCircle(): ScimError {
  return new ScimError(409, 'Operations of the request refer to each other in a circle.');
}

/** Most locks that are held for writes of this request before they are settled. */
const HELD_MAX = 64;

/** Writes of one bulk request that are stored and not settled yet. */
interface Settlements {
  /** Writes that the service may still refuse. */
  readonly size: number;
  /** Adds a stored write. */
  add(operation: BulkOperation, accepted: AcceptedWrite): void;
  /** Waits until these are settled; all of them when left out. */
  settle(operations?: Iterable<BulkOperation>): Promise<void>;
}

/**
 * Settles writes together, so that many changes of one group go to the service in one call. All of
 * them share the wait of the request: when it is over, every call here returns at once.
 */
function createSettlements(
  deps: ScimDeps,
  arrivedAt: number,
  onRefused: (operation: BulkOperation, error: unknown) => void,
): Settlements {
  const held = new Map<BulkOperation, { readonly accepted: AcceptedWrite; readonly lock: Lock }>();
  const running = new Map<BulkOperation, Promise<void>>();

  async function run(operation: BulkOperation, accepted: AcceptedWrite, lock?: Lock) {
    try {
      await settleWrite(deps, accepted, arrivedAt, lock);
    } catch (error) {
      onRefused(operation, error);
    } finally {
      running.delete(operation);
    }
  }

  function start(): void {
    for (const [operation, { accepted, lock }] of held) {
      running.set(operation, run(operation, accepted, lock));
    }
    held.clear();
  }

  return {
    get size() {
      return held.size + running.size;
    },
    add(operation, accepted) {
      if (accepted.undo === undefined) return tellUnchanged(deps, accepted);
      const lock = deps.reconciler.lock(toResourceKey(accepted), accepted.row);
      // Without the lock another run may be sending the write already: a refusal has to find us waiting.
      if (lock === undefined) running.set(operation, run(operation, accepted));
      else held.set(operation, { accepted, lock });
      if (held.size >= HELD_MAX) start();
    },
    async settle(operations) {
      const awaited = operations ? [...operations] : [...held.keys(), ...running.keys()];
      if (awaited.some((operation) => held.has(operation))) start();
      await Promise.all(awaited.map((operation) => running.get(operation)));
    },
  };
}
