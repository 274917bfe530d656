import '@mantine/core/styles.css';
import './app/console.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchPresence } from './api/ask.ts';
import { Console } from './app/console.tsx';

watchPresence();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
}
