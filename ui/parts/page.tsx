import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** A page: its name, what can be done on it, and its content. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  /** One sentence that says what is shown here. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · scim-bridge`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box maw="48rem">
          <Title order={1}>{title}</Title>
          {lead && (
            <Text size="sm" c="dimmed" component="div" mt={4}>
              {lead}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

/** A part of a page under a heading. */
export function Section({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2}>{title}</Title>
      {lead && (
        <Text size="sm" c="dimmed">
          {lead}
        </Text>
      )}
      {children}
    </Stack>
  );
}

/** Says that a list is empty, and what that means. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return (
    <Text c="dimmed" size="sm" className="box">
      {children}
    </Text>
  );
}
