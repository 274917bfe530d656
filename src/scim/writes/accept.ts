import type { ChangeClass } from '../../domain/change.ts';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import type { Refusal, ResourceKey } from '../../domain/values.ts';
import { BridgeError, foldCase, NOT_THERE, toResourceKey } from '../../domain/values.ts';
import type { Lock } from '../../reconcile/waiters.ts';
import { keepChange } from '../../store/due.ts';
import { saveDispute } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import type { Content } from '../dialect/parse-body.ts';
import { parsePatch, parseResource } from '../dialect/parse-body.ts';
import type { PatchStep } from '../dialect/to-steps.ts';
import { findPlace, isAttributeStep, listStepNames } from '../dialect/to-steps.ts';
import { notFound, ScimError, unavailable } from '../errors.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import type { RequestRepairs } from '../repairs.ts';
import type { ChangeRequest } from './change.ts';
import { storeChange, storeDeletion } from './change.ts';
import { create } from './create.ts';
import { groupWrites } from './group.ts';
import type { Accepted, WriteKind, WriteTarget } from './kind.ts';
import { Dispute, PrivilegeUnknown } from './kind.ts';
import { toBodyAsked, toStepEdits } from './lists.ts';
import { userWrites } from './user.ts';
import { OutOfScope } from './wall.ts';

/** Write of one user or group, as a provider sends it. */
export interface WriteRequest {
  readonly type: ResourceKey['type'];
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly target: WriteTarget;
  readonly body: unknown;
  readonly repairs: RequestRepairs;
  /** Is called with what the body says, also of a write that is refused then. */
  understood(content: Content): void;
}

/** Stores a write of a provider, not yet delivered. A PATCH takes all its operations or none. @throws ScimError 400, 403, 404, 409, 412, 503 */
export function acceptWrite(deps: ProviderDeps, request: WriteRequest): Promise<Accepted> {
  return request.type === 'user'
    ? accept(deps, userWrites, request)
    : accept(deps, groupWrites, request);
}

async function accept<Type extends ResourceKey['type']>(
  deps: ProviderDeps,
  kind: WriteKind<Type>,
  request: WriteRequest,
): Promise<Accepted> {
  const { method, target, body, repairs } = request;
  const schema = deps.schemas[kind.type];
  const change = (ask: ChangeRequest<Type>['ask']) =>
    storeKnowing(deps, request, (tx) => storeChange(tx, deps, kind, { target, ask, repairs }));
  if (method === 'DELETE') {
    return storeKnowing(deps, request, (tx) => storeDeletion(tx, deps, kind, target));
  }
  if (method === 'PATCH') {
    const { steps } = understand(request, parsePatch(body, { schema, repairs }));
    return change(async (tx, row) => ({
      attributes: applyPatch(row.attributes, steps, repairs),
      names: listStepNames(steps),
      isPart: true,
      edits: await toStepEdits(tx, deps, row, steps),
      placeOf: (list, id) => findPlace(steps, list, id),
    }));
  }
  const input = understand(request, parseResource(body, schema, repairs));
  return method === 'POST'
    ? storeKnowing(deps, request, (tx) => create(tx, deps, kind, { input, repairs }))
    : change(async (_tx, { attributes }) =>
        toBodyAsked(deps, 'replace', input, kind.toReplacement(attributes, input)),
      );
}

const ACCESS = new Set(['active', 'entitlements', USER_EXTENSION, GROUP_EXTENSION]);

/** True for a step that may take access away: what is added to a list takes nothing. */
function mayTake(step: PatchStep): boolean {
  if (!isAttributeStep(step)) return step.kind === 'users-where' || step.op !== 'add';
  const { extension, attribute } = step.target.path;
  const isAdded = attribute.multiValued && step.kind === 'set' && step.op === 'add';
  return ACCESS.has(extension ?? attribute.name) && !isAdded;
}

/** Notes what a body says. One of which a part was left out goes on only if the rest may take access away. @throws ScimError the refusal of the part */
function understand<Said extends Content>(
  { method, repairs, understood }: WriteRequest,
  content: Said,
): Said {
  const [refusal] = repairs.listLeftOut();
  // A POST creates a resource or changes nothing.
  const isKept = method !== 'POST' && content.steps.some(mayTake);
  if (refusal !== undefined && !isKept) throw refusal;
  understood(content);
  return content;
}

/** Shortest wait for a look, which takes a call, in milliseconds; also where writes wait for less. */
const LOOK_WAIT_MIN_MS = 2_000;
/** Time that a provider is asked to wait when the service could not be looked at, in seconds. */
const LOOK_RETRY_SECONDS = 30;

/** Stores a write, without a refused part only if it takes access away; again after a look where a resource may be privileged. @throws ScimError 409 for a dispute, 503 */
async function storeKnowing(
  deps: ScimDeps,
  { method, repairs }: WriteRequest,
  write: (tx: Db) => Promise<Accepted>,
): Promise<Accepted> {
  assertUpstreamUp(deps);
  const waitMs = Math.max(deps.policy.writeWaitMs, LOOK_WAIT_MIN_MS);
  // A look that a removal waits for is as urgent as the removal.
  const wait = { class: method === 'POST' ? 'change' : 'remove', waitMs } as const;
  try {
    const stored = await storeAfterLook(deps, wait, () =>
      storeWrite(deps, async (tx) => {
        const written = await write(tx).catch(leaveOutside);
        const [refusal] = repairs.listLeftOut();
        if (refusal !== undefined && !written.takesAccess) throw refusal;
        return written;
      }),
    );
    for (const _ of repairs.listLeftOut()) repairs.count('part-left-out');
    const { notifies, undo, row, hasFormerIds } = stored;
    if (hasFormerIds) deps.store.bell.ring('former-ids');
    // No request waits for what the rules derived: the workers do it at once after a removal, else once the write itself
    // was tried, because a refused write derives nothing.
    if (notifies && (undo === undefined || row.due_class === 0)) deps.store.bell.ring('due');
    return stored;
  } catch (error) {
    if (error instanceof Dispute) await keepDispute(deps, error);
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    const words = 'The service could not tell whether the resource is privileged.';
    throw unavailable(words, LOOK_RETRY_SECONDS);
  }
}

/** A write of what is outside the scope, and is accepted, changes nothing. */
function leaveOutside(error: unknown): Accepted {
  if (!(error instanceof OutOfScope)) throw error;
  return { row: error.row, undo: undefined, takesAccess: false, notifies: false };
}

async function keepDispute({ store, clock, events }: ScimDeps, { about, message }: Dispute) {
  const { type, name } = about;
  const found = { resource_type: type, name_folded: foldCase(name), reason: message };
  if (await store.write((tx) => saveDispute(tx, found, clock.now()))) events.disputed({ type });
}

/** Stores something, after a look where a resource may be privileged. @throws BridgeError `could-not-look` */
export async function storeAfterLook<Stored>(
  { reconciler }: Pick<ScimDeps, 'reconciler'>,
  wait: { readonly class: 'remove' | 'change'; readonly waitMs: number },
  store: () => Promise<Stored>,
): Promise<Stored> {
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof PrivilegeUnknown)) throw error;
    await reconciler.readPrivilege(error.resource, wait);
  }
  // Read just now and still unknown: the resource was made anew meanwhile.
  return store();
}

/** Stores a write. */
async function storeWrite(deps: ScimDeps, store: (tx: Db) => Promise<Accepted>): Promise<Accepted> {
  const span = deps.tracing?.begin({ name: 'accept', kind: 'internal' });
  let last: Accepted | undefined;
  try {
    last = await deps.store.write(async (tx) =>
      announce(tx, deps, await store(tx), span?.traceparent),
    );
    return last;
  } finally {
    const attributes = last && {
      'scim_bridge.resource_type': last.row.type,
      'scim_bridge.change': last.undo === undefined ? 'nothing' : toChangeClass(last),
    };
    span?.end({ attributes: attributes ?? {} });
  }
}

/** Keeps when the change was accepted, and tells the process that leads that a request waits: a refusal belongs to that one. */
async function announce(
  tx: Db,
  { reconciler, policy, clock }: ScimDeps,
  accepted: Accepted,
  trace: string | undefined,
): Promise<Accepted> {
  const { row, undo } = accepted;
  if (undo === undefined) return accepted;
  const { version } = row;
  const at = Math.round(clock.now());
  await keepChange(tx, row, { kind: toChangeClass(accepted), at, version, trace: trace ?? null });
  const write = { key: toResourceKey(row), version, undo };
  const waitId = await reconciler.announce(tx, write, policy.writeWaitMs);
  return waitId === undefined ? accepted : { ...accepted, waitId };
}

/** Kind of a stored write that waits for the service; the most urgent one, where it is several. */
function toChangeClass({ row, undo }: Accepted): ChangeClass {
  if (row.type === 'group') {
    const { taken = [], links = [] } = undo ?? {};
    if (taken.includes('members')) return 'member-removed';
    return links.length > 0 ? 'member-added' : 'group';
  }
  const { active, account } = row.cells;
  if (active?.pending !== row.version && account?.pending !== row.version) return 'user';
  return row.active === 1 && row.deleted_at === null ? 'joiner' : 'leaver';
}

/** Time that a provider is asked to wait while the service is down, in seconds. */
const DOWN_RETRY_SECONDS = 60;

/** Stops a write before anything is stored where the settings ask for that. @throws ScimError 503 */
export function assertUpstreamUp({ policy, isUpstreamDown }: ScimDeps): void {
  if (policy.whenUpstreamIsDown !== 'refuse' || !isUpstreamDown()) return;
  throw unavailable('The service does not answer now, so nothing was changed.', DOWN_RETRY_SECONDS);
}

/** Waits until the service holds the write, or the wait is over. @throws ScimError if it is refused @param arrivedAt epoch ms */
export async function deliverWrite(
  { reconciler, events, policy }: ScimDeps,
  { row, undo, waitId }: Accepted,
  arrivedAt: number,
  lock?: Lock,
): Promise<void> {
  const key = toResourceKey(row);
  if (undo === undefined) return events.writeAnswered({ ...key, answer: 'unchanged' });
  const result = await reconciler.deliver({
    key,
    undo,
    version: row.version,
    lock: lock ?? reconciler.lock(key),
    waitId,
    until: arrivedAt + policy.writeWaitMs,
    class: row.due_class === 0 ? 'remove' : 'change',
  });
  if (result.kind !== 'refused') {
    const answer = result.kind === 'applied' ? 'applied' : 'accepted';
    return events.writeAnswered({ ...key, answer });
  }
  const { problem } = result;
  events.writeAnswered({ ...key, answer: 'refused', code: problem.code });
  throw toRefusal(problem, row.type);
}

/** Beginning of our own words where the service has none: the operation and the code of the error (`UpstreamError`). */
const CALL = /\b[a-z]\w*\.[a-z]\w*: [a-z-]+(?: \(status \d+\))?: /gi;

function toRefusal(problem: Refusal, type: ResourceKey['type']): ScimError {
  const { code, words, ours, status } = problem;
  const detail = ours
    ? toSentence(words)
    : `The service refused the change: ${words.replaceAll(CALL, '')}`;
  const answered = status === undefined ? '' : ` (status ${status})`;
  const kept = ours ? toSentence(words) : `The service refused the change${answered}.`;
  switch (code) {
    case 'conflict':
      return new ScimError(409, detail, { scimType: 'uniqueness', kept });
    case 'not-permitted':
      return new ScimError(403, detail, { kept });
    case NOT_THERE.code:
      return notFound(type === 'user' ? 'User' : 'Group');
    default:
      return new ScimError(400, detail, { scimType: 'invalidValue', kept });
  }
}

function toSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
