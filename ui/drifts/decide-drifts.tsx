import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { toShell } from '../../src/ops/lists/list.ts';
import { toSubject } from '../../src/ops/lists/tables.ts';
import { toCounts, toHarm } from '../../src/ops/lists/words.ts';
import { useChange } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import type { Choosing } from '../lists/list-page.tsx';
import { PageLink } from '../parts/cell.tsx';
import { Question, useDialog } from '../parts/dialog.tsx';
import { Fault, useFocusAfter } from '../parts/page.tsx';

type Decision = Ops<'DriftsBody'>['decision'];
type Drift = Ops<'Drift'>;
type Decided = Ops<'DriftsDecided'>;

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
/** Refused decisions that a question lists. */
const LISTED = 12;
const DAY_MS = 86_400_000;
const PATH = '/drifts/decide';

interface DecisionOptions {
  readonly drifts: readonly Drift[];
  readonly onDone: () => void;
}

/** Drifts are decided together, but for those that need a decision of their own. */
export function choosing(...decisions: Decision[]): Choosing<Drift> {
  return {
    findName: ({ resource, kind, privileged }) =>
      privileged ? undefined : `${resource.name ?? resource.id}, ${kind}`,
    show: (drifts, onDone) => (
      <DecideDrifts drifts={drifts} decisions={decisions} onDone={onDone} />
    ),
  };
}

/** Decides about the drifts that were chosen, all at once. */
function DecideDrifts({
  decisions,
  ...options
}: DecisionOptions & { readonly decisions: readonly Decision[] }) {
  const { show } = useDialog();
  useFocusAfter();
  return (
    <Group className="box" gap="xs">
      <Text size="sm" fw={500} role="status">
        {options.drifts.length} chosen
      </Text>
      {decisions.map((each) => (
        <Button
          key={each}
          variant="default"
          onClick={() => show(<DecisionQuestion {...options} decision={each} />)}
        >
          {DECISIONS[each][0]}
        </Button>
      ))}
      <Button variant="subtle" onClick={options.onDone}>
        Choose none
      </Button>
    </Group>
  );
}

/** Shows what would follow, and decides: about repairs exactly as the shown plan says. */
function DecisionQuestion({
  drifts,
  decision,
  onDone,
}: DecisionOptions & { readonly decision: Decision }) {
  const [until, setUntil] = useState(toDay(30));
  const [reason, setReason] = useState('');
  const { data: preview, error: problem, mutate: look } = useChange<Decided>();
  const { data: decided, mutate, isPending, error } = useChange<Decided>();
  const ids = drifts.map(({ id }) => id);
  const isTermed = decision === 'ignore';
  const term = isTermed ? { until, reason: reason || '…' } : {};
  const lookAgain = () => look({ path: PATH, body: { decision, ids, dryRun: true, ...term } });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once.
  useEffect(lookAgain, []);
  const run = () => {
    const hash = preview?.plan ? { hash: preview.plan.hash } : {};
    const body = { decision, ids, ...term, ...hash };
    // Where another plan follows by now, it is shown before it is decided.
    const onError = () => decision === 'repair' && lookAgain();
    mutate({ path: PATH, body }, { onSuccess: onDone, onError });
  };
  const [title, meaning] = DECISIONS[decision];
  return (
    <Question
      run={run}
      error={error}
      label={title.replace(' until …', '')}
      title={`${title}: ${drifts.length}`}
      command={toCommand(drifts, decision, { until, reason })}
      isReady={preview !== undefined && preview.done > 0}
      isPending={isPending || !(preview || problem)}
      done={decided && <Outcome of={decided} drifts={drifts} />}
    >
      {meaning}
      {problem && !error && <Fault error={problem} />}
      {preview && <Outcome of={preview} drifts={drifts} />}
      {isTermed && (
        <Group grow align="flex-end">
          <TextInput
            type="date"
            label="Until"
            required
            min={toDay(1)}
            value={until}
            onChange={({ currentTarget }) => setUntil(currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label="Why"
            required
            pattern=".*\S.*"
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </Group>
      )}
    </Question>
  );
}

function toDay(daysAhead: number): string {
  return new Date(Date.now() + daysAhead * DAY_MS).toISOString().slice(0, 10);
}

/** What a decision does, or did: the plan that follows, and what cannot be decided. */
function Outcome({
  of: { dryRun, done, refused, plan },
  drifts,
}: {
  readonly of: Decided;
  readonly drifts: readonly Drift[];
}) {
  const names = new Map(drifts.map((drift) => [drift.id, toSubject(drift)]));
  return (
    <Text component="div" size="sm" role={dryRun ? 'status' : undefined}>
      {!dryRun && `Decided: ${done}. `}
      {plan && `${toCounts(plan.counts.kinds)}. Harm: ${toHarm(plan.counts.harm)}. `}
      {plan?.id && <PageLink to={{ type: 'plan', id: plan.id }} text="The plan" />}
      {dryRun &&
        plan?.exceeded.map((limit) => (
          <Alert key={limit} color="yellow" title="Above a limit">
            {limit}. It is done all the same if you say so here.
          </Alert>
        ))}
      {refused.length > 0 && (dryRun ? `Only ${done} of ${drifts.length}. Not:` : 'Not done:')}
      <ul>
        {refused.slice(0, LISTED).map(({ id, reason }) => (
          <li key={id}>
            <bdi>{names.get(id) ?? id}</bdi>: {reason}
          </li>
        ))}
      </ul>
    </Text>
  );
}

function toCommand(
  drifts: readonly Drift[],
  decision: Decision,
  { until, reason }: { readonly until: string; readonly reason: string },
): string {
  const term =
    decision === 'ignore' ? ` --until ${until} --reason ${toShell(reason || 'why')}` : '';
  const list = drifts.some(({ kind }) => kind.endsWith('.unmanaged')) ? 'unmanaged' : 'drifts';
  return `scim-bridge ${list} ${decision}${term} ${drifts.map(({ id }) => id).join(' ')}`;
}
