import type { WebSocket } from 'ws';

/** Drops a connection whose other side has vanished without a word: it misses a whole round of ping and pong. */
export function keepAlive(socket: WebSocket, intervalMs: number): void {
  let answered = true;
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, intervalMs);
  timer.unref();
  socket.on('pong', () => {
    answered = true;
  });
  socket.on('close', () => clearInterval(timer));
}
