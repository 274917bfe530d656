import { z } from 'zod';
import { CHANGE_KINDS } from '../../domain/change.ts';
import { DRIFT_KINDS, DRIFT_STATUSES } from '../../domain/drift.ts';
import { HARM_KINDS } from '../../domain/harm.ts';
import { PLAN_SOURCES, PLAN_STATUSES } from '../../domain/plan.ts';
import {
  anything,
  author,
  count,
  counts,
  flag,
  list,
  listOf,
  moment,
  momentOrNull,
  named,
  namedResource,
  object,
  optional,
  optionalFlag,
  optionalText,
  orNull,
  planSeats,
  reading,
  release,
  resourceType,
  text,
  textOrNull,
  word,
} from './kinds.ts';

/** Drifts of one decision. */
const DRIFTS_MAX = 500;

/** One comparison of the service with the store. */
export const sweep = object({
  id: text(),
  status: word(['running', 'complete', 'incomplete', 'held']),
  dryRun: flag('Nothing followed from what it found.'),
  planId: textOrNull('The plan that was made of what it found.'),
  startedAt: moment(),
  endedAt: momentOrNull(),
  admins: flag('Whether it reads the admin lists too.'),
  calls: count(),
  counts: counts(),
  reasons: list(text(), 'What was not concluded, and why.'),
  progress: orNull(
    reading,
    'How far a sweep has read the service; null: it waits, compares, or has ended.',
  ),
});

const member = orNull(named, 'Of whom in a group it is.');

const drift = object({
  id: text(),
  kind: word(DRIFT_KINDS),
  status: word(DRIFT_STATUSES),
  resource: namedResource,
  member,
  desired: anything(),
  observed: anything(),
  who: orNull(
    author.extend({ at: moment() }),
    'Who brought it about; null: the audit log does not say.',
  ),
  message: textOrNull('The words of the audit log.'),
  firstSeen: moment(),
  lastSeen: moment(),
  detector: word(['audit', 'sweep', 'discovery', 'operator'], 'What found it.'),
  planId: textOrNull('The plan that repairs it, or that waits to do so.'),
  note: orNull(
    object({ text: text(), by: textOrNull(), until: momentOrNull() }),
    'Why it is not repaired: somebody is protected, a new account lacks an address, or an operator said so.',
  ),
});

const unmanaged = drift.extend({
  privileged: textOrNull(
    'Why it is not taken over with others; null: it is ordinary, as far as is known.',
  ),
});

const words = () =>
  z
    .string()
    .max(500)
    .refine((given) => given.trim() !== '');
const ignoring = {
  until: z
    .string()
    .refine((given) => Number.isFinite(Date.parse(given)))
    .describe('A date, or a moment, that is still to come.'),
  reason: words().describe('Why: 1 to 500 characters.'),
  by: optional(words(), 'Who says so; the name of the credential when left out.'),
};

/** One decision about many drifts. */
function toBody<const Word extends string, const More extends z.core.$ZodLooseShape>(
  decision: Word,
  more: More,
) {
  return object({
    decision: z.literal(decision),
    ids: list(text()).min(1).max(DRIFTS_MAX),
    dryRun: optionalFlag('Tells what would be done, and does nothing.'),
    ...more,
  });
}

const planCounts = object({ total: count(), kinds: counts(), harm: counts() });

const planSummary = object({
  id: text(),
  hash: text('What `approve` is to be given.'),
  status: word(PLAN_STATUSES),
  source: word(PLAN_SOURCES),
  reason: textOrNull('Why it waits, or why nothing of it is done.'),
  counts: planCounts,
  undoes: textOrNull('The plan that this one undoes.'),
  createdAt: moment(),
  decidedAt: momentOrNull(),
  decidedBy: textOrNull('The name of the credential of an operator; null: nobody was asked.'),
  endedAt: momentOrNull(),
});

const planAction = object({
  kind: word(CHANGE_KINDS),
  resource: namedResource,
  member: orNull(named),
  observed: anything('What the service was seen to hold.'),
  desired: anything('What it is to hold.'),
  harm: orNull(word(HARM_KINDS)),
  status: word(['planned', 'released', 'done', 'dropped']),
  reason: text(),
  who: orNull(
    object({ by: text(), at: moment() }),
    'In a plan of removals by providers: the credential of the request. Else the author of the difference, by the audit log. Null: not known.',
  ),
});

const planPart = object({
  group: textOrNull('The SCIM id of the group; null: of users.'),
  kind: word(CHANGE_KINDS),
  by: textOrNull('As `who.by` of the actions.'),
  count: count('As it was a minute ago at most.'),
});

const plan = planSummary.extend({
  waiting: count('Actions of which nothing was done yet.'),
  done: count('Actions that were done.'),
  dropped: count('Actions that dropped out: they did not hold any more, or somebody is protected.'),
  seats: orNull(planSeats, 'Of the whole plan while it waits for a decision; null: it does not.'),
  summary: list(
    planPart.omit({ group: true }),
    'How many actions there are of each kind and author, the most first; of more than 200, as they were known a minute ago at most.',
  ),
  actions: list(planAction, 'The first 200.'),
});
const leftOut = count('Actions that cannot be undone.');

const unexplained = {
  events: count('Changes by our own account that the bridge does not know.'),
  lastEventAt: count('When the last of them happened, in epoch milliseconds.'),
};

/**
 * Outcomes of a user or group before the bridge changes the service.
 * - `adopt`: it matches an account or group that exists, which is taken over
 * - `linked`: it belongs to one that the bridge made or took over before
 * - `create`: it matches none, and would be made
 * - `inactive`: it matches none, and would be made once it is active
 * - `remove`: its provider deleted it
 * - `disputed`: it matches several, or waits for an operator; its provider is answered 409
 * - `privileged`: it exists and is never taken over by itself; its provider is answered 409 or 403
 */
const FIRST_RUN_OUTCOMES = [
  ...(['adopt', 'linked', 'create', 'inactive', 'remove', 'disputed', 'privileged'] as const),
] as const;

const firstRunItem = object({
  type: resourceType(),
  id: textOrNull('The SCIM id; null where nobody has one yet.'),
  name: text(),
  outcome: word(FIRST_RUN_OUTCOMES, 'As in docs/go-live.md.'),
  upstreamId: textOrNull('The id in the service.'),
  reason: textOrNull('Why it is disputed or privileged.'),
  changes: list(
    object({
      kind: word(CHANGE_KINDS),
      count: count('Of people in a group, or of its spaces and documents.'),
      desired: anything('What the service is to hold; null: see `count`.'),
      observed: anything('What it was seen to hold.'),
    }),
    'What was asked for and the service does not hold, beside what `outcome` says.',
  ),
});

/** What differs in the service, and the plans that change it. Names are personal. */
export const driftSchemas = {
  Reading: reading,
  Release: release,
  PlanSeats: planSeats,
  Sweep: sweep,
  SweepList: listOf(sweep),
  SweepAsked: object({ id: text() }),
  SweepBody: object({ dryRun: optionalFlag('Nothing is to follow from what it finds.') }),
  Drift: drift,
  DriftList: listOf(drift),
  Unmanaged: unmanaged,
  UnmanagedList: listOf(unmanaged),
  IgnoreBody: object(ignoring),
  DriftDecision: object({ id: text(), planId: optionalText('The plan that repairs it.') }),
  DriftsBody: z
    .discriminatedUnion('decision', [
      toBody('repair', {
        hash: optionalText(
          'What a dry run returned: exactly that plan is approved, also above the limits. Without it a plan above the limits is refused.',
        ),
      }),
      toBody('accept', {}),
      toBody('adopt', {
        provider: optionalText(
          'The provider that manages them from then on; `default` when left out.',
        ),
      }),
      toBody('ignore', ignoring),
    ])
    .describe(
      'The body has to be {"decision": "repair", "ids": ["…"], "dryRun": true}, with 1 to 500 ids; repair may have a hash, adopt a provider, ignore has until and reason.',
    ),
  DriftsDecided: object({
    dryRun: flag('Nothing was done.'),
    done: count('Drifts that were decided, or would be.'),
    refused: list(
      object({
        id: text(),
        code: word(['unknown', 'not-open', 'not-possible']),
        reason: text('A sentence.'),
      }),
      'The others: there is none, it is over or being repaired, or it cannot be done.',
    ),
    plan: orNull(
      object({
        id: textOrNull('null: it was not made.'),
        hash: text('What the decision is given to mean exactly this plan.'),
        counts: planCounts,
        exceeded: list(text(), 'Limits that it exceeds.'),
      }),
      'The plan that repairs them all; null: nothing is repaired.',
    ),
  }),
  LookBody: object({
    repair: optionalFlag(
      'Also repairs what differs, within the limits, and never what is unmanaged or protected.',
    ),
  }),
  Look: object({
    type: resourceType(),
    id: text(),
    at: moment(),
    gone: flag('The service has no such account or group.'),
    calls: count('Calls of the service that it took: at most 3, and no admin list.'),
    differences: list(
      object({
        id: text('The id of the drift.'),
        kind: word(DRIFT_KINDS),
        status: word(DRIFT_STATUSES),
        member,
        desired: anything(),
        observed: anything(),
        note: textOrNull('Why it is not repaired.'),
      }),
    ),
    repair: orNull(
      object({
        planId: textOrNull('The plan that repairs it; null: none was made.'),
        exceeded: list(text(), 'Limits that the repair would exceed.'),
      }),
      'null: nothing was to be repaired.',
    ),
    unfinished: flag(
      'Something of it waits, is stuck or is held, which is none of the differences.',
    ),
  }),
  PlanSummary: planSummary,
  PlanList: listOf(planSummary),
  Plan: plan,
  PlanAction: planAction,
  PlanActionList: listOf(planAction),
  PlanPart: planPart,
  PlanPartList: listOf(planPart),
  Undoing: plan.extend({ leftOut }),
  UndoPreview: object({ counts: planCounts, leftOut }),
  HashBody: object({ hash: text('The hash of the plan that was shown.') }),
  Recovery: object({
    phase: word(['none', 'requested', 'reading', 'waiting']),
    detection: orNull(
      z.union([
        object({ kind: z.literal('current') }),
        object({ kind: z.literal('stale'), ...unexplained }),
        object({ kind: z.literal('unknown'), code: text() }),
      ]),
      'What the audit log said at the last start; null: it was not asked.',
    ),
    since: momentOrNull(),
    reason: orNull(
      z.union([
        object({ code: word(['restored', 'first-run']) }),
        object({ code: z.literal('audit'), ...unexplained }),
      ]),
    ),
    planId: textOrNull('The plan that is made, or waits.'),
    reading: orNull(reading, 'How far the service is read for the plan; null: it is not read now.'),
    release: orNull(release, 'Of the plan that was approved last, until it is done.'),
  }),
  FirstRunItem: firstRunItem,
  FirstRun: listOf(firstRunItem).extend({
    phase: word(
      ['none', 'observing', 'reading', 'waiting'],
      '`observing`: nothing is changed and nothing planned; `reading`, `waiting`: what was accepted while observing is held, as in recovery.',
    ),
    planId: textOrNull('The plan that is made, or waits.'),
    reading: orNull(reading, 'How far the service is read for the plan.'),
    release: orNull(release, 'Of the approved plan, until it is done.'),
    counts: orNull(counts(), 'Of all entries by `type.outcome`; null on later pages.'),
    kinds: orNull(counts(), 'Of the changes of all entries; null on later pages.'),
    seats: orNull(planSeats, 'Of all entries; null on later pages.'),
  }),
};
