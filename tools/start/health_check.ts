import type { Plugin } from '../../hub/base/plugin.js';
import type { Sandbox } from '../sandbox/forms/sandbox.js';

/** Reports the state of the tools' process. */
export function createHealthCheck(parts: { sandbox: Sandbox; version: string; running(): number }): Plugin {
  return {
    name: 'tools',
    version: '1.0.0',
    methods: {
      'tools.check': async () => ({
        pid: process.pid,
        version: parts.version,
        memory_bytes: process.memoryUsage.rss(),
        running: parts.running(),
        sandbox: await parts.sandbox.report(),
      }),
    },
  };
}
