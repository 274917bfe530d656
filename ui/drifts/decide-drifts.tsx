import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { toShell } from '../../src/ops/lists/list.ts';
import { toSubject } from '../../src/ops/lists/tables.ts';
import { toCounts, toHarm } from '../../src/ops/lists/words.ts';
import { useChange } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Question } from '../parts/act.tsx';
import { Fault, useFocusAfter } from '../parts/page.tsx';

/** Decision about drifts. */
export type Decision = Ops<'DriftsBody'>['decision'];
/** A difference. */
export type Drift = Ops<'Drift'>;

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
const MONTH_MS = 30 * 86_400_000;
const PATH = '/drifts/decide';

interface DecisionOptions {
  readonly drifts: readonly Drift[];
  readonly onDone: () => void;
}

/** Decides about the drifts that were chosen, all at once. */
export function DecideDrifts({
  drifts,
  decisions,
  onDone,
}: DecisionOptions & { readonly decisions: readonly Decision[] }) {
  const [decision, setDecision] = useState<Decision>();
  useFocusAfter();
  return (
    <Group className="box" gap="xs">
      <Text size="sm" fw={500} role="status">
        {drifts.length} chosen
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
          drifts={drifts}
          decision={decision}
          onDone={onDone}
          close={() => setDecision(undefined)}
        />
      )}
    </Group>
  );
}

/** Shows what would follow, and decides: about repairs exactly as the shown plan says. */
function DecisionQuestion({
  drifts,
  decision,
  close,
  onDone,
}: DecisionOptions & { readonly decision: Decision; readonly close: () => void }) {
  const [until, setUntil] = useState(toFirstUntil);
  const [reason, setReason] = useState('');
  const { data: preview, error: problem, mutate: look } = useChange<Ops<'DriftsDecided'>>();
  const { mutate, isPending, error } = useChange<Ops<'DriftsDecided'>>();
  const ids = drifts.map(({ id }) => id);
  const isTermed = decision === 'ignore';
  const term = isTermed ? { until, reason: reason || '…' } : {};
  const lookAgain = () => look({ path: PATH, body: { decision, ids, dryRun: true, ...term } });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once for each choice.
  useEffect(lookAgain, [decision, ids.join(' ')]);
  const run = () => {
    const hash = preview?.plan ? { hash: preview.plan.hash } : {};
    const body = { decision, ids, ...term, ...hash };
    // Where another plan follows by now, it is shown before it is decided.
    mutate({ path: PATH, body }, { onSuccess: onDone, onError: lookAgain });
  };
  const [title, meaning] = DECISIONS[decision];
  const isComplete = !isTermed || (reason.trim() !== '' && until !== '');
  return (
    <Question
      isOpen
      close={close}
      run={run}
      error={error}
      label={title.replace(' until …', '')}
      title={`${title}: ${drifts.length}`}
      command={toCommand(drifts, decision, { until, reason })}
      isReady={isComplete && preview !== undefined && preview.done > 0}
      isPending={isPending || !(preview || problem)}
    >
      {meaning}
      {problem && <Fault error={problem} />}
      {preview && <Preview preview={preview} drifts={drifts} />}
      {isTermed && (
        <Group grow align="flex-end">
          <TextInput
            type="date"
            label="Until"
            value={until}
            onChange={({ currentTarget }) => setUntil(currentTarget.value)}
          />
          <TextInput
            label="Why"
            required
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </Group>
      )}
    </Question>
  );
}

function toFirstUntil(): string {
  return new Date(Date.now() + MONTH_MS).toISOString().slice(0, 10);
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
    <Text component="div" size="sm" role="status">
      {plan && `${toCounts(plan.counts.kinds)}. Harm: ${toHarm(plan.counts.harm)}.`}
      {plan?.exceeded.map((limit) => (
        <Alert key={limit} color="yellow" variant="outline" title="Above a limit">
          {limit}. It is done all the same if you say so here.
        </Alert>
      ))}
      {refused.length > 0 && ` Only ${done} of ${drifts.length}. Not:`}
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
