import { Loader, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { acts } from '../../src/ops/lists/acts.ts';
import { listStatusFacts, toReadingText } from '../../src/ops/lists/details.ts';
import { useStatus } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Act, Acts } from '../parts/act.tsx';
import { Facts, Words } from '../parts/cell.tsx';
import { Fault, Section, useTitle } from '../parts/page.tsx';
import { type Concern, toVerdict } from './verdict.ts';

/** Answers whether the bridge may be left alone. */
export function OverviewPage() {
  const { error, data: status, isHeard } = useStatus();
  useTitle('Overview');
  if (error) return <Fault error={error} />;
  if (!status) return <Loader />;
  const { tone, line, concerns } = toVerdict(status, isHeard);
  return (
    <Stack gap="lg">
      <div className="box verdict" data-tone={tone}>
        <Text size="sm" c="dimmed">
          May I leave it alone?
        </Text>
        <Title order={1}>{line}</Title>
      </div>
      {concerns.length > 0 && <Concerns concerns={concerns} />}
      {status.firstRead && <FirstRead reading={status.firstRead} />}
      <Facts items={listStatusFacts(status)} />
      <Section title="Act">
        <Acts>
          {status.writes.paused ? (
            <Act key="resume" act={acts.RESUME} label="Resume" isMain />
          ) : (
            <Act
              key="pause"
              act={acts.PAUSE}
              label="Pause all changes"
              isDangerous
              confirm={WARNING}
            />
          )}
          <Act act={acts.SWEEP} label="Compare everything" />
          <Act act={acts.RETRY} given={{ all: true }} label="Retry all" />
        </Acts>
      </Section>
    </Stack>
  );
}

const WARNING =
  'Nothing is changed in the service until somebody resumes. Removals of access wait as well.';

function Concerns({ concerns }: { readonly concerns: readonly Concern[] }) {
  return (
    <ul className="reasons" aria-label="What needs you">
      {concerns.map(({ title, remedy, page }) => (
        <li key={title}>
          <strong>
            <Words text={title} />
          </strong>
          <p>
            <Words text={remedy} />{' '}
            {page && (
              <Link to={page.to} search={page.search ?? {}} aria-label={`Show: ${title}`}>
                Show
              </Link>
            )}
          </p>
        </li>
      ))}
    </ul>
  );
}

function FirstRead({ reading }: { readonly reading: NonNullable<Ops<'Status'>['firstRead']> }) {
  const { step, read, expected } = reading;
  const count = `${read}${expected === null ? '' : ` of ${expected}`}`;
  return (
    <Section title="The first read" lead="Providers get 503 until it is done, and come again.">
      <Progress
        value={expected ? (read / expected) * 100 : 100}
        animated={!expected}
        aria-label={`${count} of ${step} read`}
      />
      <Text size="sm">
        <Words text={toReadingText(reading)} />
      </Text>
    </Section>
  );
}
