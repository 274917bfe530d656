import { listWaiting } from '../domain/cell.ts';
import type { GroupState, UserState } from '../domain/kinds.ts';
import type { LinkChange } from '../domain/link.ts';
import { NOT_APPLIED } from '../domain/values.ts';
import { removesAccess } from '../domain/write.ts';
import type { Field, Part, Step, StepKind, Values } from '../plan/step.ts';
import { hasFailed, listFields, listLinks, listParts, toValues } from '../plan/step.ts';
import { UpstreamError, unreadable } from '../upstream/errors.ts';
import type { ArgsOf } from '../upstream/operations/call-types.ts';
import type { PagedOperation } from '../upstream/operations/operation.ts';
import { scim } from '../upstream/operations/scim.ts';
import { paginate } from '../upstream/paginate.ts';
import type { ScimUser } from '../upstream/shapes/scim-user.ts';
import { parseScimUser } from '../upstream/shapes/scim-user.ts';
import type { CallOptions, Transport } from '../upstream/transport.ts';
import { withOptions } from '../upstream/transport.ts';
import type { ReadableSection, ReconcileDeps } from './deps.ts';
import type { Again, Classified, Known, Outcome } from './outcome.ts';
import { classify } from './outcome.ts';
import type { Missed } from './sections.ts';
import { toFailure, tryLook } from './sections.ts';

/** A step of a user or group at the service, with all that its calls need. */
export interface StepCall<State extends UserState | GroupState> {
  readonly deps: ReconcileDeps;
  readonly state: State;
  readonly step: Step;
  readonly missed: Missed | undefined;
  readonly section: ReadableSection;
  /** When it began (epoch milliseconds). */
  readonly at: number;
  readonly values: Values;
  readonly fields: readonly Field[];
  readonly links: readonly LinkChange[];
}

/** Ways in which the steps of a type are made. */
export type StepMakers<State extends UserState | GroupState> = {
  readonly [Kind in StepKind]?: {
    readonly section: ReadableSection;
    readonly make: (call: StepCall<State>) => Promise<Outcome | Again>;
    /** Explains a failed call; undefined: it says nothing special. @throws UpstreamError */
    readonly rescue?: (call: StepCall<State>, failed: Classified) => Promise<Outcome | undefined>;
  };
};

/** Makes a step of a user or group, and returns the new knowledge. */
export async function makeStep<State extends UserState | GroupState>(
  makers: StepMakers<State>,
  basis: Pick<StepCall<State>, 'deps' | 'state' | 'step' | 'missed'>,
): Promise<Outcome | Again> {
  const { state, step } = basis;
  const waiting = listWaitingParts(state);
  const isIdle = step.kind === 'look' && waiting.length === 0;
  const { type, id } = state;
  const deps = withCalls(basis.deps, {
    class: takesAccess(state, step) ? 'remove' : isIdle ? 'look' : 'change',
    key: `${type}:${id}`,
    // What failed before by its own fault is tried once.
    ...(hasFailed(step, state.cells) && { attemptsMax: 1 }),
  });
  const maker = makers[step.kind];
  if (maker === undefined) throw new TypeError(`a ${type} has no step ${step.kind}`);
  const { section, make, rescue } = maker;
  const parts = listParts(step);
  const call: StepCall<State> = {
    ...basis,
    deps,
    section,
    at: deps.clock.now(),
    values: toValues(step),
    fields: listFields(parts),
    links: listLinks(parts),
  };
  if (step.kind === 'look') return tryLook(deps, section, () => make(call), waiting);
  try {
    return await make(call);
  } catch (error) {
    const failed = classify(error);
    // Nothing exists yet that a create could miss.
    const missed = step.kind === 'create' ? 'found' : basis.missed;
    const explain = async () =>
      (await rescue?.(call, failed)) ?? (await toFailure(deps, failed, { parts, section, missed }));
    const outcome = await tryLook(deps, section, explain, waiting);
    const isOfMany =
      outcome.kind === 'refused' && parts.length > 1 && step.kind !== 'list-entities';
    // One part may be at fault.
    return isOfMany ? { kind: 'again', most: Math.ceil(parts.length / 2) } : outcome;
  }
}

/** True for a step that goes first, because it takes access away. What is no list does so where anything of its resource does. */
function takesAccess(state: UserState | GroupState, step: Step): boolean {
  const links = listLinks(listParts(step));
  if (links.length > 0) return links.some(({ wanted }) => !wanted);
  return step.kind === 'entity' ? toValues(step).roles?.length === 0 : removesAccess(state);
}

/** Lists what of a user or group waits and can be changed now. */
export function listWaitingParts(state: UserState | GroupState): Part[] {
  return [...listWaiting<Field>(state.cells), ...('links' in state ? state.links : [])];
}

/** Gives every call without a class of its own these options. */
export function withCalls<Deps extends { readonly upstream: Transport }>(
  deps: Deps,
  context: CallOptions,
): Deps {
  const upstream = withOptions(deps.upstream, (options: CallOptions = {}) =>
    options.class === undefined ? { ...context, ...options } : options,
  );
  return { ...deps, upstream };
}

/** Outcome of a change that the service took. What it left as it was is looked at. */
export function toTaken<Changed extends Part>(
  parts: readonly Changed[],
  isMade: (part: Changed) => boolean,
  known: Known,
): Outcome {
  const ignored = parts.filter((part) => !isMade(part));
  if (ignored.length === 0) return { kind: 'done', known };
  return { kind: 'unknown', problem: NOT_APPLIED, parts: ignored };
}

/** Makes the look after a call whose answer does not tell enough. @throws UpstreamError; the effect is unknown */
export async function readBack<Seen>(look: () => Promise<Seen>): Promise<Seen> {
  try {
    return await look();
  } catch (cause) {
    if (!(cause instanceof UpstreamError)) throw cause;
    const words = 'the answer does not tell, and the look after it failed';
    throw unreadable(cause.operation, words, { cause });
  }
}

/** A list with the entries of it that are looked for. */
interface Search<O extends PagedOperation, Entry> {
  readonly operation: O;
  readonly args: ArgsOf<O>;
  readonly parse: (entry: unknown) => Entry;
  readonly isMeant: (entry: Entry) => boolean;
  /** One entry at most is meant: what follows it is not read. */
  readonly isOne?: true;
}

/** Finds entries of a list; none: it has none. @throws UpstreamError, also where an incomplete list shows none */
export async function search<O extends PagedOperation, Entry>(
  { upstream, policy }: Pick<ReconcileDeps, 'upstream' | 'policy'>,
  { operation, args, parse, isMeant, isOne }: Search<O, Entry>,
): Promise<Entry[]> {
  const found: Entry[] = [];
  const pages = paginate(upstream, operation, args, { pageSize: policy.pageSize });
  for await (const { items } of pages) {
    found.push(...items.map(parse).filter(isMeant));
    if (isOne && found.length > 0) break;
  }
  const { result } = pages;
  if (found.length > 0 || result.complete) return found;
  const words = `the list is incomplete: ${result.reason}`;
  throw unreadable(operation.id, words, { outcome: 'answered' });
}

/** Makes sure that an answer is about what was asked for: a mixing cache may give another one. @throws UpstreamError `unreadable` */
export function assertAbout(what: string, id: string | number, asked: string | number): void {
  if (id !== asked) throw unreadable(what, 'the answer is about another one');
}

/** Reads an account. @throws UpstreamError */
export async function readUser(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  upstreamId: number,
): Promise<ScimUser> {
  const path = { user_id: upstreamId };
  return parseUserOf(upstreamId, await upstream.call(scim.getUser, { path }));
}

/** Reads an answer about one account. @throws UpstreamError `unreadable`, also where it is about another one */
export function parseUserOf(upstreamId: number, answer: unknown): ScimUser {
  const user = parseScimUser(answer);
  assertAbout('SCIM user', user.id, upstreamId);
  return user;
}
