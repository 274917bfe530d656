import { listWaiting } from '../domain/cell.ts';
import type { GroupState } from '../domain/group.ts';
import type { UserState } from '../domain/user.ts';
import { type Field, hasFailed, listParts, type Step, type StepKind } from '../plan/step.ts';
import type { CallContext, ReconcileDeps } from './deps.ts';
import { type Missed, toFailure } from './failure.ts';
import type { Outcome, TooMany } from './outcome.ts';
import type { ReadableSection } from './sections.ts';
import { type Classified, classify } from './verdict.ts';

/** A step of a user or group at the service, with all that its calls need. */
export interface StepCall<State extends UserState | GroupState> {
  readonly deps: ReconcileDeps;
  readonly context: CallContext;
  readonly state: State;
  readonly step: Step;
  readonly missed: Missed | undefined;
  /** When it began (epoch milliseconds). */
  readonly at: number;
}

/** What a step is made from. */
export type StepBasis<State extends UserState | GroupState> = Omit<
  StepCall<State>,
  'context' | 'at'
>;

/** Way in which steps of one kind are made. */
export interface StepMaker<State extends UserState | GroupState> {
  /** Section whose rights the calls need. */
  readonly section: ReadableSection;
  /** Makes the calls. @throws UpstreamError */
  readonly make: (call: StepCall<State>) => Promise<Outcome | TooMany>;
  /** Outcome of a failed call where it says more than others; undefined: it says nothing special. */
  readonly rescue?: (call: StepCall<State>, failed: Classified) => Promise<Outcome | undefined>;
}

/** The makers of the steps of a type. */
export type StepMakers<State extends UserState | GroupState> = Readonly<
  Partial<Record<StepKind, StepMaker<State>>>
>;

/** Makes a step of a user or group, and returns the new knowledge. `removes`: it takes access away, so it goes first. */
export async function makeStep<State extends UserState | GroupState>(
  makers: StepMakers<State>,
  basis: StepBasis<State>,
  { type, removes }: { readonly type: 'user' | 'group'; readonly removes: boolean },
): Promise<Outcome | TooMany> {
  const { deps, state, step } = basis;
  const links = 'links' in state ? state.links.length : 0;
  const isIdle = step.kind === 'look' && listWaiting<Field>(state.cells).length + links === 0;
  const context: CallContext = {
    class: removes ? 'remove' : isIdle ? 'look' : 'change',
    key: `${type}:${state.id}`,
    // What failed before by its own fault is tried once.
    ...(hasFailed(step, state.cells) && { attemptsMax: 1 }),
  };
  const call = { ...basis, context, at: deps.clock.now() };
  const maker = makers[step.kind];
  if (maker === undefined) throw new TypeError(`a ${type} has no step ${step.kind}`);
  try {
    return await maker.make(call);
  } catch (error) {
    const failed = classify(error);
    const rescued = await maker.rescue?.(call, failed);
    // Nothing exists yet that a create could miss.
    const missed = step.kind === 'create' ? 'found' : basis.missed;
    const parts = listParts(step);
    const outcome =
      rescued ?? (await toFailure(deps, failed, { parts, section: maker.section, missed }));
    const isOfMany =
      outcome.kind === 'refused' && parts.length > 1 && step.kind !== 'list-entities';
    // One part may be at fault.
    return isOfMany ? { kind: 'too-many', size: Math.ceil(parts.length / 2) } : outcome;
  }
}
