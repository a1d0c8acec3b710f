// browserOf names a browser and its system by what it calls itself.
export function browserOf(agent: string): string {
  const find = (pairs: [string, string][]) => pairs.find(([part]) => agent.includes(part))?.[1]
  const name = find([
    ['Edg', 'Edge'],
    ['OPR/', 'Opera'],
    ['Vivaldi', 'Vivaldi'],
    ['SamsungBrowser', 'Samsung Internet'],
    ['Firefox/', 'Firefox'],
    ['FxiOS', 'Firefox'],
    ['CriOS', 'Chrome'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
    ['curl/', 'curl'],
  ])
  const system = find([
    ['iPhone', 'iPhone'],
    ['iPad', 'iPad'],
    ['Android', 'Android'],
    ['Windows', 'Windows'],
    ['Mac OS X', 'macOS'],
    ['CrOS', 'ChromeOS'],
    ['Linux', 'Linux'],
  ])
  return [name, system].filter(Boolean).join(' · ') || agent.slice(0, 40)
}
