# Reads the settings as JSON from its argument and writes the outcome as JSON to its standard output.

require 'json'
require 'people_api'
require 'uri'

# The client raises an error for an error status. Its body is text.
def body_of_error
  yield
rescue PeopleApi::ApiError => e
  JSON.parse(e.response_body)
else
  raise 'The request was accepted.'
end

def rejection(problem)
  outcome = { status: problem['status'], code: problem['code'] }
  outcome[:pointers] = problem['errors'].map { |error| error['pointer'] } if problem.key?('errors')
  outcome
end

settings = JSON.parse(ARGV.fetch(0))
address = URI(settings['baseUrl'])
PeopleApi.configure do |config|
  config.scheme = address.scheme
  config.host = "#{address.host}:#{address.port}"
end
oauth = PeopleApi::OAuthApi.new
employees = PeopleApi::EmployeesApi.new
reports = PeopleApi::ReportsApi.new

credentials = { client_id: settings['clientId'] }
wrong = body_of_error { oauth.create_token('client_credentials', { **credentials, client_secret: 'wrong' }) }
token = oauth.create_token('client_credentials', { **credentials, client_secret: settings['clientSecret'] })
PeopleApi.configure { |config| config.access_token = token.access_token }

pages = []
after = nil
loop do
  page = employees.list_employees(page_size: 3, page_after: after)
  pages << page.data.map(&:id)
  after = page.meta.next_cursor
  break if after.nil?
end

active = PeopleApi::ReportListFilterInput.new(field: 'status', operator: 'in', value: ['active'])
report = PeopleApi::GroupedReportCreateRequest.new(
  title: 'Active by department', filters: [active], group_by: ['department']
)
report_id = reports.create_report(report).data.id
updated = reports.update_report(report_id, PeopleApi::ReportUpdateWithColumns.new(title: 'Headcount'))
rows = reports.run_report(report_id).data
csv = reports.export_report(report_id)

missing = body_of_error { employees.get_employee('unknown') }
recent = PeopleApi::ReportTextFilterInput.new(field: 'updated_at', operator: 'eq', value: 'yesterday')
malformed = body_of_error do
  reports.create_report(PeopleApi::ListReportCreateRequest.new(title: 'Recent changes', filters: [recent]))
end

reports.delete_report(report_id)

puts JSON.generate(
  unauthenticated: wrong,
  pages: pages,
  reportId: report_id,
  title: updated.data.attributes.title,
  headcount: rows.to_h { |row| [row.attributes.department, row.attributes.count] },
  csv: csv,
  missing: rejection(missing),
  malformed: rejection(malformed)
)
