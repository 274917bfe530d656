import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useChange, useIsOperator } from '../api/queries.ts';
import type { Ops, OpsName } from '../api/types.ts';
import { Refusal } from '../parts/act.tsx';
import { CommandLine } from '../parts/command.tsx';
import { useFocusAfter } from '../parts/focus.ts';
import { KEPT, type Made, Secret } from './secret.tsx';

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
  return (
    <>
      <Button size="compact-xs" variant="default" aria-label={`${label} ${subject}`} onClick={open}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={end}
        title={`${label} ${subject}`}
        size="lg"
        {...(made && KEPT)}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {made ? (
          <Secret made={made} onDone={end} />
        ) : (
          <Stack>
            <Text size="sm">{meaning}</Text>
            <CommandLine text={command} />
            {change.error && <Refusal error={change.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={end}>
                Cancel
              </Button>
              <Button
                color={secretOf === undefined ? 'red' : 'indigo'}
                loading={change.isPending}
                onClick={run}
                data-autofocus
              >
                {label}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
