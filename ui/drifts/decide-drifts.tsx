import { Button, Group, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../api/ask.ts';
import type { Ops } from '../api/types.ts';
import { CommandLine } from '../parts/command.tsx';
import { toKind, toRepair } from '../plans/words.ts';

type Drift = Ops<'Drift'>;
type Decision = 'repair' | 'accept' | 'ignore';

/** Decisions with their meaning. */
const DECISIONS = {
  repair: { label: 'Repair', meaning: 'The service is made to hold again what was asked for.' },
  accept: { label: 'Accept', meaning: 'What the service holds is what is wanted from now on.' },
  ignore: { label: 'Ignore until …', meaning: 'Nothing is done until the date.' },
} as const;
/** Differences that a question lists. */
const LISTED = 12;
const DAY_MS = 86_400_000;

/** Decides about the drifts that were chosen, one after the other. */
export function DecideDrifts({
  drifts,
  onDone,
}: {
  readonly drifts: readonly Drift[];
  readonly onDone: () => void;
}) {
  const [decision, setDecision] = useState<Decision>();
  return (
    <Group className="bar-of-choice" gap="xs">
      <Text size="sm" fw={500}>
        {drifts.length.toLocaleString('en')} chosen
      </Text>
      <Button onClick={() => setDecision('repair')}>Repair</Button>
      <Button variant="default" onClick={() => setDecision('accept')}>
        Accept
      </Button>
      <Button variant="default" onClick={() => setDecision('ignore')}>
        Ignore until …
      </Button>
      <Button variant="subtle" onClick={onDone}>
        Choose none
      </Button>
      {decision && (
        <Question
          drifts={drifts}
          decision={decision}
          onClose={() => setDecision(undefined)}
          onDone={onDone}
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

function Question({ drifts, decision, onClose, onDone }: QuestionOptions) {
  const [until, setUntil] = useState(() =>
    new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10),
  );
  const [reason, setReason] = useState('');
  const { run, done, refusals } = useDecisions(drifts, decision, onDone);
  const { label, meaning } = DECISIONS[decision];
  const isReady = decision !== 'ignore' || (reason.trim() !== '' && until !== '');
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${label}: ${drifts.length.toLocaleString('en')}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">{meaning}</Text>
        <Preview drifts={drifts} decision={decision} />
        {decision === 'ignore' && (
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
        {done !== undefined && (
          <Progress
            value={(done / drifts.length) * 100}
            aria-label={`${done} of ${drifts.length} decided`}
          />
        )}
        {refusals.length > 0 && (
          <Text size="sm" role="alert" c="red">
            {refusals.length} not done: {refusals[0]}
          </Text>
        )}
        <CommandLine text={toCommand(drifts, decision, { until, reason })} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {done === drifts.length ? 'Close' : 'Cancel'}
          </Button>
          <Button
            disabled={!isReady}
            loading={done !== undefined && done < drifts.length}
            onClick={() => void run(decision === 'ignore' ? { until, reason } : undefined)}
          >
            {label.replace(' until …', '')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function useDecisions(drifts: readonly Drift[], decision: Decision, onDone: () => void) {
  const client = useQueryClient();
  const [done, setDone] = useState<number>();
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  async function run(body: object | undefined): Promise<void> {
    const failed: string[] = [];
    for (const [place, { id }] of drifts.entries()) {
      setDone(place);
      try {
        await change('DriftDecision', `/drifts/${id}/${decision}`, body);
      } catch (error) {
        failed.push(error instanceof Error ? error.message : String(error));
        setRefusals([...failed]);
      }
    }
    setDone(drifts.length);
    await client.invalidateQueries({ queryKey: ['ops'] });
    if (failed.length === 0) onDone();
  }
  return { run, done, refusals };
}

/** The plan that would follow, in words. */
function Preview({
  drifts,
  decision,
}: {
  readonly drifts: readonly Drift[];
  readonly decision: Decision;
}) {
  return (
    <ul className="preview">
      {drifts.slice(0, LISTED).map((drift) => (
        <li key={drift.id}>
          {drift.member?.name ?? drift.resource.name ?? drift.resource.id}
          {drift.member && ` in ${drift.resource.name}`}:{' '}
          <span className="quiet">{toKind(drift.kind)}</span>
          {decision === 'repair' && `, ${toRepair(drift.kind)}`}
        </li>
      ))}
      {drifts.length > LISTED && <li className="quiet">and {drifts.length - LISTED} more</li>}
    </ul>
  );
}

/** One request is one decision; a script sends as many. */
function toCommand(
  drifts: readonly Drift[],
  decision: Decision,
  { until, reason }: { until: string; reason: string },
): string {
  const [first] = drifts;
  const id = drifts.length === 1 ? first?.id : '<id>';
  const body = decision === 'ignore' ? ` -d '${JSON.stringify({ until, reason })}'` : '';
  return `curl -X POST -H "Authorization: Bearer $OPS_TOKEN"${body} ${location.origin}/ops/drifts/${id}/${decision}`;
}
