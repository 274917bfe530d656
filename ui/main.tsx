import '@mantine/core/styles.css';
import './app/console.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchPresence } from './api/ask.ts';
import { createQueryClient } from './api/queries.ts';
import { router } from './app/router.tsx';
import { theme } from './app/theme.ts';

const root = document.getElementById('root');
// Dialogs stop the page behind them from scrolling by a style element of a library of their own.
setNonce(findNonce());
watchPresence();
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={findNonce}>
        <QueryClientProvider client={createQueryClient()}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

/** Nonce that the policy of the page asks of style elements. */
function findNonce(): string {
  return document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
}
