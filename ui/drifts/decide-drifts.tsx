import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { toShell } from '../../src/ops/lists/act.ts';
import { toSubject } from '../../src/ops/lists/drifts.ts';
import { toCounts, toHarm, toKind, toReason, toRepair } from '../../src/ops/lists/words.ts';
import { useChange } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Question } from '../parts/act.tsx';
import { Fault } from '../parts/fault.tsx';
import { useFocusAfter } from '../parts/focus.ts';

/** Decision about drifts. */
export type Decision = Ops<'DriftsBody'>['decision'];
/** A drift; of what is unmanaged with the reason why it is not taken over with others. */
export type Drift = Ops<'Drift'> & Partial<Pick<Ops<'Unmanaged'>, 'privileged'>>;

/** Decisions with their meaning. */
const DECISIONS = {
  repair: ['Repair', 'The bridge changes the service back to what was asked for.'],
  accept: ['Accept', 'The bridge wants from now on what the service holds.'],
  adopt: [
    'Take over',
    'The bridge takes them over as the service holds them. Providers may change and deactivate them from then on.',
  ],
  ignore: ['Ignore until …', 'The bridge leaves them alone until the date.'],
} as const;
/** Drifts that one decision may be about. */
const DECIDED_MAX = 500;
/** Differences that a question lists. */
const LISTED = 12;
/** Ids that a command is shown with; more make it longer than a shell takes well. */
const IDS_SHOWN = 3;
const DAY_MS = 86_400_000;

/** Decides about the drifts that were chosen, all at once. */
export function DecideDrifts({
  drifts,
  decisions,
  onDone,
}: {
  readonly drifts: readonly Drift[];
  readonly decisions: readonly Decision[];
  readonly onDone: () => void;
}) {
  const [decision, setDecision] = useState<Decision>();
  useFocusAfter();
  const some = drifts.slice(0, DECIDED_MAX);
  return (
    <Group className="bar-of-choice" gap="xs">
      <Text size="sm" fw={500} role="status">
        {drifts.length.toLocaleString('en')} chosen
        {some.length < drifts.length && `; the first ${DECIDED_MAX} are decided at once`}
      </Text>
      {decisions.map((each) => (
        <Button key={each} variant="default" onClick={() => setDecision(each)}>
          {DECISIONS[each][0]}
        </Button>
      ))}
      <Button variant="subtle" onClick={onDone}>
        Choose none
      </Button>
      {decision && (
        <DecisionQuestion
          {...{ drifts: some, decision, onDone }}
          onClose={() => setDecision(undefined)}
        />
      )}
    </Group>
  );
}

interface QuestionOptions {
  readonly drifts: readonly Drift[];
  readonly decision: Decision;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function DecisionQuestion({ drifts, decision, onClose, onDone }: QuestionOptions) {
  const [term, setTerm] = useState(toFirstTerm);
  const { preview, problem, run, change } = useDecision({ drifts, decision, term, onDone });
  const [title, meaning] = DECISIONS[decision];
  const label = title.replace(' until …', '');
  const isTermed = decision !== 'ignore' || (term.reason.trim() !== '' && term.until !== '');
  return (
    <Question
      {...{ isOpen: true, close: onClose, run, label }}
      title={`${title}: ${drifts.length.toLocaleString('en')}`}
      command={toCommand(drifts, decision, term)}
      isReady={isTermed && preview !== undefined && preview.done > 0}
      isPending={change.isPending || !(preview || problem)}
      error={change.error}
    >
      <Text size="sm">{meaning}</Text>
      <Listed drifts={drifts} decision={decision} />
      {problem && <Fault error={problem} />}
      {preview && <Preview preview={preview} drifts={drifts} />}
      {decision === 'ignore' && <TermFields term={term} setTerm={setTerm} />}
    </Question>
  );
}

interface Term {
  readonly until: string;
  readonly reason: string;
}

function toFirstTerm(): Term {
  return { until: new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10), reason: '' };
}

function TermFields({
  term,
  setTerm,
}: {
  readonly term: Term;
  readonly setTerm: (term: Term) => void;
}) {
  return (
    <Group grow align="flex-end">
      <TextInput
        type="date"
        label="Until"
        value={term.until}
        onChange={({ currentTarget }) => setTerm({ ...term, until: currentTarget.value })}
      />
      <TextInput
        label="Why"
        required
        value={term.reason}
        onChange={({ currentTarget }) => setTerm({ ...term, reason: currentTarget.value })}
      />
    </Group>
  );
}

/** Asks for a dry run, and decides: about repairs exactly as the shown plan says. */
function useDecision({
  drifts,
  decision,
  term,
  onDone,
}: Omit<QuestionOptions, 'onClose'> & { readonly term: Term }) {
  const dry = useChange<Ops<'DriftsDecided'>>();
  const change = useChange<Ops<'DriftsDecided'>>();
  const { mutate } = dry;
  const chosen = drifts.map(({ id }) => id).join(' ');
  const look = useCallback(() => {
    const first = decision === 'ignore' ? { ...toFirstTerm(), reason: '…' } : {};
    const body = { decision, ids: chosen.split(' '), dryRun: true, ...first };
    mutate({ path: '/drifts/decide', body });
  }, [mutate, decision, chosen]);
  useEffect(look, [look]);
  const preview = dry.data;
  const run = () => {
    const seen = preview?.plan ? { hash: preview.plan.hash } : {};
    const more = decision === 'ignore' ? term : seen;
    const body = { decision, ids: chosen.split(' '), ...more };
    // Where another plan follows by now, it is shown before it is decided.
    change.mutate({ path: '/drifts/decide', body }, { onSuccess: onDone, onError: look });
  };
  return { preview, problem: dry.error, run, change };
}

/** The plan that follows, and what cannot be decided. */
function Preview({
  preview: { done, refused, plan },
  drifts,
}: {
  readonly preview: Ops<'DriftsDecided'>;
  readonly drifts: readonly Drift[];
}) {
  const names = new Map(drifts.map((drift) => [drift.id, toSubject(drift)]));
  return (
    <div role="status">
      {plan && (
        <Text size="sm" fw={500}>
          {toCounts(plan.counts.kinds)}. Harm: {toHarm(plan.counts.harm)}.
        </Text>
      )}
      {plan?.exceeded.map((limit) => (
        <Alert key={limit} color="yellow" variant="outline" title="Above a limit">
          {toReason(limit)}. It is done all the same if you say so here.
        </Alert>
      ))}
      {refused.length > 0 && (
        <Text size="sm">
          Only {done.toLocaleString('en')} of {drifts.length.toLocaleString('en')}. Not:
        </Text>
      )}
      <ShortList items={refused}>
        {({ id, reason }) => (
          <li key={id}>
            <bdi>{names.get(id) ?? id}</bdi>: {reason}
          </li>
        )}
      </ShortList>
    </div>
  );
}

/** The chosen drifts, in words. */
function Listed({ drifts, decision }: Pick<QuestionOptions, 'drifts' | 'decision'>) {
  return (
    <ShortList items={drifts}>
      {(drift) => (
        <li key={drift.id}>
          <bdi>{toSubject(drift)}</bdi>: <span className="quiet">{toKind(drift.kind)}</span>
          {decision === 'repair' && `, ${toRepair(drift.kind)}`}
        </li>
      )}
    </ShortList>
  );
}

function ShortList<Item>({
  items,
  children,
}: {
  readonly items: readonly Item[];
  readonly children: (item: Item) => ReactNode;
}) {
  return (
    <ul className="preview">
      {items.slice(0, LISTED).map(children)}
      {items.length > LISTED && <li className="quiet">and {items.length - LISTED} more</li>}
    </ul>
  );
}

function toCommand(drifts: readonly Drift[], decision: Decision, { until, reason }: Term): string {
  const ids = drifts.slice(0, IDS_SHOWN).map(({ id }) => id);
  const more = drifts.length > ids.length ? ' …' : '';
  const term =
    decision === 'ignore' ? ` --until ${until} --reason ${toShell(reason || 'why')}` : '';
  const list = drifts.some(({ kind }) => kind.endsWith('.unmanaged')) ? 'unmanaged' : 'drifts';
  return `scim-bridge ${list} ${decision}${term} ${ids.join(' ')}${more}`;
}
