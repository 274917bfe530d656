import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { OpsError } from '../api/ask.ts';
import { useChange, useIsOperator } from '../api/queries.ts';
import type { Ops, OpsName } from '../api/types.ts';
import { CommandLine } from './command.tsx';
import { useFocusAfter } from './focus.ts';

/** Something that an operator can do: the button, what it means, and the command that does the same. */
export interface ActOptions<Name extends OpsName> {
  /** Schema of the answer. */
  readonly name: Name;
  readonly label: string;
  /** Its effect, in one sentence. */
  readonly meaning: ReactNode;
  readonly command: string;
  readonly path: string;
  readonly body?: object;
  /** Asks once more, with this text, or with what it finds out first. */
  readonly confirm?: ReactNode;
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  /** Tells what came of it. */
  readonly told?: (answer: Ops<Name>) => ReactNode;
  readonly onDone?: (answer: Ops<Name>) => void;
}

/** A button with its meaning and its command. Readers do not get it. */
export function Act<Name extends OpsName>(options: ActOptions<Name>) {
  const { name, label, meaning, command, path, body, confirm, told, onDone } = options;
  const [isOpen, { open, close }] = useDisclosure();
  const [outcome, setOutcome] = useState<ReactNode>();
  const change = useChange(name);
  useFocusAfter();
  const run = () => {
    setOutcome(undefined);
    change.mutate(
      { path, ...(body && { body }) },
      {
        onSuccess(answer) {
          setOutcome(told ? told(answer) : 'Done.');
          onDone?.(answer);
        },
      },
    );
    close();
  };
  if (!useIsOperator()) return null;
  const color = options.isDangerous ? 'red' : 'indigo';
  return (
    <div className="act">
      <Button
        color={color}
        variant={options.isMain ? 'filled' : 'default'}
        loading={change.isPending}
        onClick={confirm === undefined ? run : open}
      >
        {label}
      </Button>
      <div>
        <Text size="sm">{meaning}</Text>
        <CommandLine text={command} />
        {outcome && (
          <Text size="sm" role="status" className="outcome">
            {outcome}
          </Text>
        )}
        {change.error && <Refusal error={change.error} />}
      </div>
      <Question {...{ isOpen, close, run, label, color, command }} title={label}>
        {confirm}
      </Question>
    </div>
  );
}

/** Says why something was not done, or that nobody knows whether it was. */
export function Refusal({ error }: { readonly error: Error }) {
  const isRefused = error instanceof OpsError;
  return (
    <Alert
      color="red"
      variant="outline"
      role="alert"
      title={isRefused ? 'Not done' : 'No answer'}
      mt="xs"
    >
      {error.message}
      {!isRefused && ' It may have been done all the same; the page Acts tells.'}
    </Alert>
  );
}

/** A question before something is done. */
export interface QuestionOptions {
  readonly title: string;
  readonly size?: 'lg';
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly run: () => void;
  readonly label: string;
  readonly color: string;
  readonly command: string;
  readonly isPending?: boolean;
  readonly error?: Error | null;
  /** Takes the place of the question: what was made, which is shown once. */
  readonly made?: ReactNode;
  readonly children: ReactNode;
}

/** Keeps a dialog with a secret open until a person says that it was copied. */
export const KEPT = {
  closeOnClickOutside: false,
  closeOnEscape: false,
  withCloseButton: false,
} as const;

/** Asks once more before something is done. */
export function Question({ isOpen, close, run, label, made, ...options }: QuestionOptions) {
  const { title, size, color, command, isPending = false, error, children } = options;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      {...(size && { size })}
      {...(made ? KEPT : {})}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {made ?? (
        <Stack>
          <div>{children}</div>
          <CommandLine text={command} />
          {error && <Refusal error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color={color} loading={isPending} onClick={run} data-autofocus>
              {label}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

/** Buttons of a page; for a reader a sentence instead. */
export function Acts({ children }: { readonly children: ReactNode }) {
  const isOperator = useIsOperator();
  if (isOperator) return <Stack className="acts">{children}</Stack>;
  return (
    <Text size="sm" c="dimmed">
      You are signed in as a reader. An operator can act here.
    </Text>
  );
}
