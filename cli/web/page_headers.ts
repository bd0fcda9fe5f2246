/** What every answer carries, whatever it is: a refusal is read by a browser as well. */
export function answerHeaders(port: number): Record<string, string> {
  return {
    'content-security-policy': [
      ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:"],
      ...[`connect-src 'self' ws://127.0.0.1:${port}`, "base-uri 'none'", "form-action 'none'"],
      ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cache-control': 'no-store',
  };
}
