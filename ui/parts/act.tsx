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
  /** Asks once more, with this; `question`: with the question of the command. */
  readonly confirm?: ReactNode;
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  readonly onDone?: (answer: Answer) => void;
}

function useAct<Answer>({ act, given = {}, of }: ActOptions<Answer>) {
  const change = useChange<Answer>();
  const typed = of ? { resource: of.id, ...given } : given;
  useFocusAfter();
  return {
    ...change,
    sent: toRequest(act, given, of),
    command: toCommandLine(act, typed),
    question: findQuestion(act, typed),
  };
}

/** A button with its meaning and its command. Readers do not get it. */
export function Act<Answer>(options: ActOptions<Answer>) {
  const { act, given = {}, label, confirm, onDone } = options;
  const [isOpen, { open, close }] = useDisclosure();
  const [outcome, setOutcome] = useState('');
  const { mutate, sent, command, isPending, error } = useAct(options);
  const run = () => {
    setOutcome('');
    const onSuccess = (answer: Answer) => {
      setOutcome(act.command.say(answer, given));
      onDone?.(answer);
    };
    mutate(sent, { onSuccess });
    close();
  };
  if (!useIsOperator()) return null;
  const color = options.isDangerous ? 'red' : 'indigo';
  return (
    <div className="act">
      <Button
        color={color}
        variant={options.isMain ? 'filled' : 'default'}
        loading={isPending}
        onClick={confirm === undefined ? run : open}
      >
        {label}
      </Button>
      <div>
        <Text size="sm">{act.summary}</Text>
        <CommandLine text={command} />
        {outcome && (
          <Text size="sm" role="status" className="outcome">
            <Words text={outcome} />
          </Text>
        )}
        {error && <Refusal error={error} />}
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
  const { act, label } = options;
  const [isOpen, { open, close }] = useDisclosure();
  const { data, mutate, reset, sent, command, question, isPending, error } = useAct(options);
  const run = () => mutate(sent, { onSuccess: () => shown === undefined && close() });
  const end = () => {
    close();
    reset();
  };
  if (!useIsOperator()) return null;
  const title = `${label} ${subject}`;
  const color = shown === undefined ? 'red' : 'indigo';
  return (
    <>
      <Button size="compact-xs" variant="default" aria-label={title} onClick={open}>
        {label}
      </Button>
      <Question
        {...{ title, isOpen, run, label, color, command, isPending, error }}
        close={end}
        made={data !== undefined && shown?.(data, end)}
      >
        <Text size="sm">{question ?? act.summary}</Text>
      </Question>
    </>
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
interface QuestionOptions {
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
}

/** Keeps a dialog with a secret open until a person says that it was copied. */
export const KEPT = {
  closeOnClickOutside: false,
  closeOnEscape: false,
  withCloseButton: false,
} as const;

/** Asks once more before something is done. */
export function Question({ isOpen, close, run, label, made, ...options }: QuestionOptions) {
  const { title, color, command, isPending = false, isReady = true, error, children } = options;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={title}
      size="lg"
      {...(made ? KEPT : {})}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {made || (
        <Stack>
          <div>{children}</div>
          {error && <Refusal error={error} />}
          <CommandLine text={command} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              color={color ?? 'indigo'}
              disabled={!isReady}
              loading={isPending}
              onClick={run}
              data-autofocus
            >
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
