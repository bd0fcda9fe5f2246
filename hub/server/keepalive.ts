import type { WebSocket } from 'ws';

/** Drops a connection whose peer vanished without closing it: one that did not answer the previous ping. */
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
