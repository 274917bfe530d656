import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import {
  type Act as ActRow,
  findQuestion,
  type Given,
  type Subject,
  toCommandLine,
  toRequest,
} from '../../src/ops/lists/list.ts';
import { OpsError } from '../api/ask.ts';
import { useChange, useIsOperator } from '../api/queries.ts';
import { Words } from './cell.tsx';
import { CommandLine, useFocusAfter } from './page.tsx';

/** A request that an operator can send, and the button that asks whether to send it. */
interface ActOptions<Answer> {
  readonly act: ActRow<Answer>;
  readonly given?: Given;
  /** User or group that it is about. */
  readonly of?: Subject;
  readonly label: string;
  /** The button stands in a row of a list; `subject` names the row. */
  readonly subject?: string;
  /** Asks this instead of the question of the command. */
  readonly confirm?: ReactNode;
  /** Shows a secret of the answer, once. */
  readonly shown?: (answer: Answer) => ReactNode;
  readonly isMain?: boolean;
  readonly isDangerous?: boolean;
  readonly onDone?: (answer: Answer) => void;
}

/** A button, and the dialog that says what it does, does it, and tells what came of it. Readers do not get it. */
export function Act<Answer>(options: ActOptions<Answer>) {
  const {
    act,
    given = {},
    of,
    label,
    subject,
    confirm,
    shown,
    isMain,
    isDangerous,
    onDone,
  } = options;
  const [isOpen, { open, close }] = useDisclosure();
  const { mutate, reset, data, isPending, error } = useChange<Answer>();
  useFocusAfter();
  if (!useIsOperator()) return null;
  const title = subject === undefined ? label : `${label} ${subject}`;
  const typed = of ? { resource: of.id, ...given } : given;
  const color = isDangerous ? 'red' : 'indigo';
  return (
    <>
      <Button
        size={subject === undefined ? 'xs' : 'compact-xs'}
        aria-label={title}
        color={color}
        variant={isMain ? 'filled' : 'default'}
        onClick={open}
      >
        {label}
      </Button>
      <Question
        title={title}
        isOpen={isOpen}
        label={label}
        color={color}
        isPending={isPending}
        error={error}
        command={toCommandLine(act, typed)}
        run={() => mutate(toRequest(act, given, of), { onSuccess: (answer) => onDone?.(answer) })}
        close={() => {
          close();
          reset();
        }}
        isSecret={shown !== undefined}
        done={data && (shown?.(data) ?? <Words text={act.say(data, given)} />)}
      >
        {confirm ?? findQuestion(act, typed) ?? <Words text={act.summary} />}
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

interface QuestionOptions {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly run: () => void;
  readonly label: string;
  readonly color?: string;
  /** Command that does the same. */
  readonly command: string;
  readonly isPending: boolean;
  readonly isReady?: boolean;
  readonly error: Error | null;
  /** What came of it: it takes the place of the question. */
  readonly done?: ReactNode;
  /** What came of it is shown once, and stays until a person says that it was copied. */
  readonly isSecret?: boolean;
  readonly children: ReactNode;
}

/** The dialog in which everything is asked that changes something. */
export function Question({ done, isSecret = false, ...options }: QuestionOptions) {
  const { title, isOpen, close } = options;
  const isKept = isSecret && Boolean(done);
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
      {done ? (
        <Stack>
          <Text component="div" size="sm" role="status" className="lines">
            {done}
          </Text>
          <Group justify="flex-end">
            <Button onClick={close} data-autofocus>
              {isSecret ? 'I have copied it' : 'Close'}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Asking {...options} />
      )}
    </Modal>
  );
}

function Asking(options: Omit<QuestionOptions, 'done' | 'isSecret' | 'isOpen' | 'title'>) {
  const { close, run, label, color = 'indigo', command, isPending, isReady = true } = options;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <Stack>
        <Text component="div" size="sm">
          {options.children}
        </Text>
        {options.error && <Refusal error={options.error} />}
        <CommandLine text={command} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={color}
            disabled={!isReady}
            loading={isPending}
            data-autofocus
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Buttons of a page; for a reader a sentence instead. */
export function Acts({ children }: { readonly children: ReactNode }) {
  if (useIsOperator()) return <Group gap="xs">{children}</Group>;
  return (
    <Text size="sm" c="dimmed">
      You are signed in as a reader. An operator can act here.
    </Text>
  );
}
