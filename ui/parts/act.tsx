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
import { CommandLine } from './command.tsx';
import { useFocusAfter } from './focus.ts';
import { Words } from './words.tsx';

/** A request that an operator can send, and the button that sends it. */
interface ActOptions<Answer> {
  readonly act: ActRow<Answer>;
  readonly given?: Given;
  /** User or group that it is about. */
  readonly of?: Subject;
  readonly label: string;
}

function useAct<Answer>({ act, given = {}, of }: ActOptions<Answer>) {
  const [isOpen, { open, close }] = useDisclosure();
  const change = useChange<Answer>();
  const typed = of ? { resource: of.id, ...given } : given;
  useFocusAfter();
  return {
    ...{ change, isOpen, open, close },
    sent: toRequest(act, given, of),
    command: toCommandLine(act, typed),
    question: findQuestion(act, typed) ?? act.summary,
  };
}

/** A button with its meaning and its command. Readers do not get it. */
export function Act<Answer>({
  confirm,
  isMain,
  isDangerous,
  onDone,
  ...options
}: ActOptions<Answer> & {
  /** Asks once more, with this. */
  readonly confirm?: ReactNode;
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  readonly onDone?: (answer: Answer) => void;
}) {
  const { act, given = {}, label } = options;
  const [outcome, setOutcome] = useState('');
  const { change, sent, command, isOpen, open, close } = useAct(options);
  const run = () => {
    setOutcome('');
    const onSuccess = (answer: Answer) => {
      setOutcome(act.command.say(answer, given));
      onDone?.(answer);
    };
    change.mutate(sent, { onSuccess });
    close();
  };
  if (!useIsOperator()) return null;
  const color = isDangerous ? 'red' : 'indigo';
  return (
    <div className="act">
      <Button
        color={color}
        variant={isMain ? 'filled' : 'default'}
        loading={change.isPending}
        onClick={confirm === undefined ? run : open}
      >
        {label}
      </Button>
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
        {change.error && <Refusal error={change.error} />}
      </div>
      <Question {...{ isOpen, close, run, label, color, command }} title={label}>
        {confirm}
      </Question>
    </div>
  );
}

/** A button in a row, which asks with the command that does the same. Readers do not get it. */
export function RowAct<Answer>({
  subject,
  shown,
  ...options
}: ActOptions<Answer> & {
  readonly subject: string;
  /** Shows a secret of the answer, once. */
  readonly shown?: (answer: Answer, onDone: () => void) => ReactNode;
}) {
  const { label } = options;
  const { change, sent, command, question, isOpen, open, close } = useAct(options);
  const { data, mutate, reset, isPending, error } = change;
  const run = () => mutate(sent, { onSuccess: () => shown === undefined && close() });
  const end = () => {
    close();
    reset();
  };
  if (!useIsOperator()) return null;
  const title = `${label} ${subject}`;
  const color = shown === undefined ? 'red' : 'indigo';
  const made = data !== undefined && shown?.(data, end);
  return (
    <>
      <Button size="compact-xs" variant="default" aria-label={title} onClick={open}>
        {label}
      </Button>
      <Question
        {...{ title, isOpen, run, label, color, command, isPending, error, made }}
        close={end}
      >
        <Text size="sm">{question}</Text>
      </Question>
    </>
  );
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
