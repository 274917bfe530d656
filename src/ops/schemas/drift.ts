import { z } from 'zod';
import { CHANGE_KINDS, DRIFT_KINDS, DRIFT_STATUSES, HARM_KINDS } from '../../domain/change.ts';
import { PLAN_SOURCES, PLAN_STATUSES } from '../../domain/plan.ts';
import { isDate, t } from './kinds.ts';

const DRIFTS_MAX = 500;

export const Reading = t.object({
  step: t.text('The list that is read.'),
  read: t.count('Entries of it, so far.'),
  expected: t.countOrNull('How many it has; null: the service does not say.'),
  endsAt: t.momentOrNull('At the rate so far; null within the first two seconds.'),
});

/** One comparison of the service with the store. */
export const Sweep = t.object({
  id: t.text(),
  status: t.word(['running', 'complete', 'incomplete', 'held']),
  dryRun: t.flag('Nothing followed from what it found.'),
  planId: t.textOrNull('The plan that was made of what it found.'),
  startedAt: t.moment(),
  endedAt: t.momentOrNull(),
  admins: t.flag('Whether it reads the admin lists too.'),
  calls: t.count(),
  counts: t.counts(),
  reasons: t.list(t.text(), 'What was not concluded, and why.'),
  progress: t.orNull(Reading, 'null: it does not read now.'),
});

const member = t.orNull(t.named, 'Of whom in a group it is.');

export const Drift = t.object({
  id: t.text(),
  kind: t.word(DRIFT_KINDS),
  status: t.word(DRIFT_STATUSES),
  resource: t.namedResource,
  member,
  desired: t.anything(),
  observed: t.anything(),
  who: t.orNull(t.author.extend({ at: t.moment() }), 'null: the audit log does not say.'),
  message: t.textOrNull('The words of the audit log.'),
  firstSeen: t.moment(),
  lastSeen: t.moment(),
  detector: t.word(['audit', 'sweep', 'operator'], 'What found it.'),
  planId: t.textOrNull('The plan that repairs it, or that waits to do so.'),
  note: t.partOrNull('Why it is not repaired.', {
    text: t.text(),
    by: t.textOrNull(),
    until: t.momentOrNull(),
  }),
  privileged: t.textOrNull('Why an unmanaged one is not taken over with others.'),
});

const said = (about: string) =>
  t.checked(about, (given) => given.trim() !== '' && given.length <= 500);
const decision = t.object({
  ids: t.list(t.text()).min(1).max(DRIFTS_MAX),
  dryRun: t.optionalFlag('Tells what would be done, and does nothing.'),
});

const planCounts = t.object({ total: t.count(), kinds: t.counts(), harm: t.counts() });

export const PlanSummary = t.object({
  id: t.text(),
  hash: t.text('What `approve` is to be given.'),
  status: t.word(PLAN_STATUSES),
  source: t.word(PLAN_SOURCES),
  reason: t.textOrNull('Why it waits, or waited, or why nothing of it is done.'),
  counts: planCounts,
  undoes: t.textOrNull('The plan that this one undoes.'),
  createdAt: t.moment(),
  decidedAt: t.momentOrNull(),
  decidedBy: t.textOrNull('The name of the credential of an operator; null: nobody was asked.'),
  endedAt: t.momentOrNull(),
});

export const PlanAction = t.object({
  kind: t.word(CHANGE_KINDS),
  resource: t.namedResource,
  member: t.orNull(t.named),
  observed: t.anything('What the service was seen to hold.'),
  desired: t.anything('What it is to hold.'),
  harm: t.orNull(t.word(HARM_KINDS)),
  status: t.word(['planned', 'released', 'done', 'dropped']),
  reason: t.text(),
  who: t.partOrNull('The credential of the request, or the author by the audit log.', {
    by: t.text(),
    at: t.moment(),
  }),
});

export const PlanSeats = t.object({
  needs: t.count('For accounts that it creates or activates.'),
  frees: t.count('By accounts that it deactivates or deletes.'),
  has: t.countOrNull('0 while somebody waits for one; null: not known.'),
});

export const Plan = PlanSummary.extend({
  waiting: t.count('Actions of which nothing was done yet.'),
  done: t.count('Actions that were done.'),
  dropped: t.count('Actions that did not hold any more, or concern a protected person.'),
  seats: t.orNull(PlanSeats, 'null: it does not wait.'),
  actions: t.list(PlanAction, 'The first 200.'),
  summary: t.parts('`actions` by kind and author, the most first.', {
    kind: t.word(CHANGE_KINDS),
    by: t.textOrNull('As `who.by` of the actions.'),
    count: t.count(),
  }),
});
const leftOut = t.count('Actions that cannot be undone.');

export const FirstRunItem = t.object({
  type: t.resourceType(),
  id: t.text('The SCIM id.'),
  name: t.text(),
  outcome: t.word(
    ['adopt', 'linked', 'create', 'inactive', 'remove', 'privileged'],
    'As in docs/go-live.md.',
  ),
  upstreamId: t.textOrNull('The id in the service.'),
  reason: t.textOrNull('Why it is privileged.'),
  changes: t.parts('What the service does not hold, beside what `outcome` says.', {
    kind: t.word(CHANGE_KINDS),
    count: t.count('Of people in a group, or of its spaces and documents.'),
    desired: t.anything('What the service is to hold; null: see `count`.'),
    observed: t.anything('What it was seen to hold.'),
  }),
});

export const SweepList = t.listOf(Sweep);
export const SweepAsked = t.object({ id: t.text() });
export const SweepBody = t.object({
  dryRun: t.optionalFlag('Nothing is to follow from what it finds.'),
});
export const DriftList = t.listOf(Drift);
export const DriftsBody = z
  .discriminatedUnion('decision', [
    decision.extend({
      decision: z.literal('repair'),
      hash: t.optionalText('Of a dry run: exactly that plan is approved, also above the limits.'),
    }),
    decision.extend({ decision: z.literal('accept') }),
    decision.extend({
      decision: z.literal('adopt'),
      provider: t.optionalText('Manages them from then on; `default` when left out.'),
    }),
    decision.extend({
      decision: z.literal('ignore'),
      until: t.checked('A date such as 2027-01-31, or a moment, that is still to come.', isDate),
      reason: said('Why: 1 to 500 characters.'),
      by: t.optional(said('Who says so; the name of the credential when left out.')),
    }),
  ])
  .describe(
    'The body has to be {"decision": "repair", "ids": ["…"], "dryRun": true}, with 1 to 500 ids; repair may have a hash, adopt a provider, ignore has until and reason.',
  );
export const DriftsDecided = t.object({
  dryRun: t.flag('Nothing was done.'),
  done: t.count('Drifts that were decided, or would be.'),
  refused: t.parts('The others.', {
    id: t.text(),
    code: t.word(['unknown', 'not-open', 'not-possible']),
    reason: t.text('A sentence.'),
  }),
  plan: t.partOrNull('null: nothing is repaired.', {
    id: t.textOrNull('null: it was not made.'),
    hash: t.text('What the decision is given to mean exactly this plan.'),
    counts: planCounts,
    exceeded: t.list(t.text(), 'Limits that it exceeds.'),
  }),
});
export const LookBody = t.object({
  repair: t.optionalFlag(
    'Also repairs what differs, within the limits, and never what is unmanaged or protected.',
  ),
});
export const Look = t.object({
  type: t.resourceType(),
  id: t.text(),
  at: t.moment(),
  gone: t.flag('The service has no such account or group.'),
  differences: t.parts(null, {
    id: t.text('The id of the drift.'),
    kind: t.word(DRIFT_KINDS),
    status: t.word(DRIFT_STATUSES),
    member,
    desired: t.anything(),
    observed: t.anything(),
    note: t.textOrNull('Why it is not repaired.'),
  }),
  repair: t.partOrNull('null: nothing was to be repaired.', {
    planId: t.textOrNull('The plan that repairs it; null: none was made.'),
    exceeded: t.list(t.text(), 'Limits that the repair would exceed.'),
  }),
  unfinished: t.flag('Something of it waits, is stuck or is held.'),
});
export const PlanList = t.listOf(PlanSummary);
export const PlanActionList = t.listOf(PlanAction);
export const Undoing = Plan.extend({ leftOut });
export const HashBody = t.object({ hash: t.text('The hash of the plan that was shown.') });
export const Recovery = t.object({
  phase: t.word(['none', 'requested', 'reading', 'waiting']),
  detection: t.orNull(
    z.union([
      t.object({ kind: t.word(['current', 'stale']) }),
      t.object({ kind: z.literal('unknown'), code: t.text() }),
    ]),
    'By the audit log, at the last start; null: it was not asked.',
  ),
  since: t.momentOrNull(),
  reason: t.partOrNull(null, { code: t.word(['restored', 'audit', 'first-run']) }),
  planId: t.textOrNull('The plan that waits.'),
  reading: t.orNull(Reading, 'null: it is not read now.'),
});
export const FirstRun = t.listOf(FirstRunItem).extend({
  phase: t.word(['none', 'observing', 'waiting'], '`waiting`: what was accepted is held.'),
  planId: t.textOrNull('The plan that waits.'),
  counts: t.orNull(t.counts(), 'Of all entries by `type.outcome`; null on later pages.'),
  kinds: t.orNull(t.counts(), 'Of the changes of all entries; null on later pages.'),
  seats: t.orNull(PlanSeats, 'Of all entries; null on later pages.'),
});
