import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useChange, useIsOperator } from '../api/queries.ts';
import type { Ops, OpsName } from '../api/types.ts';
import { Question } from '../parts/act.tsx';
import { useFocusAfter } from '../parts/focus.ts';
import { type Made, Secret } from './secret.tsx';

/** A decision about one credential, beside it in a list. */
export interface RowActOptions<Name extends OpsName> {
  readonly schema: Name;
  readonly label: string;
  readonly subject: string;
  readonly path: string;
  readonly body?: object;
  readonly command: string;
  readonly meaning: string;
  /** Finds the secret of an answer, which is shown once. */
  readonly secretOf?: (answer: Ops<Name>) => Made;
}

/** A button in a row, which asks with the command that does the same. Readers do not get it. */
export function RowAct<Name extends OpsName>(options: RowActOptions<Name>) {
  const { schema, label, subject, path, body, command, meaning, secretOf } = options;
  const [isOpen, { open, close }] = useDisclosure();
  const change = useChange(schema);
  useFocusAfter();
  const run = () =>
    change.mutate(
      { path, ...(body && { body }) },
      { onSuccess: () => secretOf === undefined && close() },
    );
  const end = () => {
    close();
    change.reset();
  };
  if (!useIsOperator()) return null;
  const made = change.data === undefined ? undefined : secretOf?.(change.data);
  const title = `${label} ${subject}`;
  const color = secretOf === undefined ? 'red' : 'indigo';
  const { isPending, error } = change;
  return (
    <>
      <Button size="compact-xs" variant="default" aria-label={title} onClick={open}>
        {label}
      </Button>
      <Question
        {...{ title, isOpen, run, label, color, command, isPending, error }}
        size="lg"
        close={end}
        made={made && <Secret made={made} onDone={end} />}
      >
        <Text size="sm">{meaning}</Text>
      </Question>
    </>
  );
}
