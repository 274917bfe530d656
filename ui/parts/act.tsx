import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import {
  type Act as ActRow,
  findQuestion,
  type Given,
  type Subject,
  toCommandLine,
  toRequest,
} from '../../src/ops/lists/act.ts';
import { OpsError } from '../api/ask.ts';
import { useChange, useIsOperator } from '../api/queries.ts';
import { Words } from './cell.tsx';
import { CommandLine, useFocusAfter } from './page.tsx';

/** A request that an operator can send, and the button that sends it. */
interface ActOptions<Answer> {
  readonly act: ActRow<Answer>;
  readonly given?: Given;
  /** User or group that it is about. */
  readonly of?: Subject;
  readonly label: string;
  /** The button stands in a row of a list and asks with the command; `subject` names the row. */
  readonly subject?: string;
  /** Asks once more, with this. */
  readonly confirm?: ReactNode;
  /** Shows a secret of the answer, once. */
  readonly shown?: (answer: Answer, onDone: () => void) => ReactNode;
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  readonly onDone?: (answer: Answer) => void;
}

/** A button with its meaning and its command. Readers do not get it. */
export function Act<Answer>(options: ActOptions<Answer>) {
  const { act, label, subject, shown, isMain, isDangerous } = options;
  const { change, dialog, command, outcome, run, end } = useAct(options);
  const { data, isPending, error } = change;
  useFocusAfter();
  if (!useIsOperator()) return null;
  const title = subject === undefined ? label : `${label} ${subject}`;
  const color = isDangerous ? 'red' : 'indigo';
  const asked = options.confirm ?? (subject === undefined ? undefined : findAsked(options));
  const button = (
    <Button
      size={subject === undefined ? 'xs' : 'compact-xs'}
      aria-label={title}
      color={color}
      variant={isMain ? 'filled' : 'default'}
      loading={isPending}
      onClick={asked === undefined ? run : dialog.open}
    >
      {label}
    </Button>
  );
  const question = asked !== undefined && (
    <Question
      {...{ title, isOpen: dialog.isOpen, run, label, color, command, isPending, error }}
      close={end}
      made={data !== undefined && shown?.(data, end)}
    >
      <Text component="div" size="sm">
        {asked}
      </Text>
    </Question>
  );
  if (subject !== undefined) {
    return (
      <>
        {button}
        {question}
      </>
    );
  }
  return (
    <div className="act">
      {button}
      <div>
        <Text size="sm">
          <Words text={act.summary} />
        </Text>
        <CommandLine text={command} />
        {outcome && (
          <Text size="sm" role="status" fw={500}>
            <Words text={outcome} />
          </Text>
        )}
        {error && asked === undefined && <Refusal error={error} />}
      </div>
      {question}
    </div>
  );
}

function toTyped({ given = {}, of }: Pick<ActOptions<never>, 'given' | 'of'>): Given {
  return of ? { resource: of.id, ...given } : given;
}

function findAsked<Answer>(options: ActOptions<Answer>): string {
  return findQuestion(options.act, toTyped(options)) ?? options.act.summary;
}

function useAct<Answer>(options: ActOptions<Answer>) {
  const { act, given = {}, of, shown, onDone } = options;
  const [isOpen, { open, close }] = useDisclosure();
  const [outcome, setOutcome] = useState('');
  const change = useChange<Answer>();
  const onSuccess = (answer: Answer) => {
    setOutcome(act.command.say(answer, given));
    onDone?.(answer);
    if (shown === undefined) close();
  };
  return {
    change,
    outcome,
    dialog: { isOpen, open },
    command: toCommandLine(act, toTyped(options)),
    run() {
      setOutcome('');
      change.mutate(toRequest(act, given, of), { onSuccess });
    },
    end() {
      close();
      change.reset();
    },
  };
}

/** Says why something was not done, or that nobody knows whether it was. */
export function Refusal({ error }: { readonly error: Error }) {
  const isRefused = error instanceof OpsError;
  const title = isRefused ? 'Not done' : 'No answer';
  return (
    <Alert color="red" variant="outline" role="alert" title={title} mt="xs">
      {error.message}
      {!isRefused && ' It may have been done all the same; the page Acts tells.'}
    </Alert>
  );
}

/** A dialog. One that `isKept` shows a secret, and stays open until a person says that it was copied. */
export function Dialog({
  title,
  isOpen,
  close,
  isKept = false,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly isKept?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      size="lg"
      closeOnClickOutside={!isKept}
      closeOnEscape={!isKept}
      withCloseButton={!isKept}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Modal>
  );
}

/** Asks once more before something is done. */
export function Question({
  title,
  isOpen,
  close,
  run,
  label,
  color = 'indigo',
  command,
  isPending = false,
  isReady = true,
  error,
  made,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly run: () => void;
  readonly label: string;
  readonly color?: string;
  readonly command: string;
  readonly isPending?: boolean;
  readonly isReady?: boolean;
  readonly error?: Error | null;
  /** Takes the place of the question: what was made, which is shown once. */
  readonly made?: ReactNode;
  readonly children: ReactNode;
}) {
  if (made) {
    return (
      <Dialog {...{ title, isOpen, close }} isKept>
        {made}
      </Dialog>
    );
  }
  return (
    <Dialog {...{ title, isOpen, close }}>
      <Stack>
        <div>{children}</div>
        {error && <Refusal error={error} />}
        <CommandLine text={command} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            color={color}
            disabled={!isReady}
            loading={isPending}
            onClick={run}
            data-autofocus
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Buttons of a page; for a reader a sentence instead. */
export function Acts({ children }: { readonly children: ReactNode }) {
  const isOperator = useIsOperator();
  if (isOperator) return <Stack gap="sm">{children}</Stack>;
  return (
    <Text size="sm" c="dimmed">
      You are signed in as a reader. An operator can act here.
    </Text>
  );
}
